package dev.forebay.worker.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.stream.ChunkedInput;
import java.io.EOFException;
import java.io.IOException;

/**
 * Streams bytes of an open file in pieces. Each piece is read when the connection accepts it, so a
 * slow reader costs one piece of memory. Closes its file once. Used by one event loop only.
 */
final class FilePieces implements ChunkedInput<ByteBuf> {

    /** Four TLS records, which one system call sends. */
    private static final int PIECE_BYTES = 64 << 10;

    private final WorkerResponse.FileBytes bytes;
    private long sent;
    private boolean closed;

    FilePieces(WorkerResponse.FileBytes bytes) {
        this.bytes = bytes;
    }

    @Override
    public boolean isEndOfInput() {
        return sent == bytes.length();
    }

    @Override
    public ByteBuf readChunk(ByteBufAllocator allocator) throws IOException {
        int wanted = (int) Math.min(PIECE_BYTES, bytes.length() - sent);
        ByteBuf piece = allocator.buffer(wanted);
        try {
            while (piece.readableBytes() < wanted) {
                long position = bytes.offset() + sent + piece.readableBytes();
                int left = wanted - piece.readableBytes();
                if (piece.writeBytes(bytes.file(), position, left) < 0) {
                    throw new EOFException("the file ends at " + position);
                }
            }
            sent += wanted;
            return piece;
        } catch (IOException | RuntimeException e) {
            piece.release();
            throw e;
        }
    }

    @Deprecated
    @SuppressWarnings("InlineMeSuggester") // Netty deprecates this method but still requires it.
    @Override
    public ByteBuf readChunk(ChannelHandlerContext context) throws IOException {
        return readChunk(context.alloc());
    }

    @Override
    public long length() {
        return bytes.length();
    }

    @Override
    public long progress() {
        return sent;
    }

    @Override
    public void close() throws Exception {
        if (!closed) {
            closed = true;
            bytes.owner().close();
        }
    }
}
