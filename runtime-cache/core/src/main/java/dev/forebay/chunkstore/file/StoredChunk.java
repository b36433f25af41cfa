package dev.forebay.chunkstore.file;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.linux.Buffers;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/**
 * An open chunk file. It stays readable until it is closed, even if the chunk is evicted or
 * replaced meanwhile.
 *
 * <p>Safe for use by many threads: each read names its position.
 */
public final class StoredChunk implements AutoCloseable {

    private static final int BLOCK = ChunkId.CHECKSUM_BLOCK_BYTES;

    /** Buffers of one checksum block each, for reads. */
    public static final Buffers SCRATCH = new Buffers(BLOCK);

    private static final FileChannel NOWHERE = nowhere();

    private final Path path;
    private final FileChannel channel;
    private final ChunkFooter footer;

    private StoredChunk(Path path, FileChannel channel, ChunkFooter footer) {
        this.path = path;
        this.channel = channel;
        this.footer = footer;
    }

    private static FileChannel nowhere() {
        try {
            return FileChannel.open(Path.of("/dev/null"), StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static StoredChunk open(Path path, ChunkId id, ChunkName name) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        try {
            ChunkFooter footer = ChunkFooter.read(channel, id);
            if (!ChunkName.of(id.index(), footer.valid()).equals(name)) {
                throw new DamagedChunkException(id + ": the file's footer differs from its name");
            }
            return new StoredChunk(path, channel, footer);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    public ChunkId id() {
        return footer.id();
    }

    /** Returns the path where the file was opened. After an eviction there is no file. */
    public Path path() {
        return path;
    }

    /**
     * Returns the open file. Byte 0 of the file is byte 0 of the chunk. Do not close the file or
     * move its position.
     */
    public FileChannel channel() {
        return channel;
    }

    /** Returns the length of the chunk in bytes. */
    public int length() {
        return footer.length();
    }

    /** Returns whether every byte of {@code [from, to)} is valid. */
    public boolean holds(int from, int to) {
        return footer.valid().holds(from, to);
    }

    /** Returns the valid blocks of the chunk. */
    public ValidBlocks valid() {
        return footer.valid();
    }

    /**
     * Returns the stored CRC-32C values, big-endian, of the 64 KiB blocks that make up {@code
     * [from, to)}.
     *
     * @param from a multiple of 64 KiB
     * @param to a multiple of 64 KiB or the chunk's length
     * @throws ForebayException with {@code INVALID_ARGUMENT} if they are not
     */
    public byte[] checksums(int from, int to) {
        Objects.checkFromToIndex(from, to, length());
        if (from % BLOCK != 0 || (to % BLOCK != 0 && to != length())) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "[%d, %d) does not consist of 64 KiB blocks".formatted(from, to));
        }
        ByteBuffer out = ByteBuffer.allocate(4 * ChunkFooter.checksums(to - from));
        for (int block = from / BLOCK; out.hasRemaining(); block++) {
            out.putInt(footer.checksum(block));
        }
        return out.array();
    }

    /**
     * Reads bytes from {@code from} on until {@code target} is full. Checks the checksums of all
     * blocks that contain these bytes.
     *
     * @throws ForebayException with {@code CORRUPT} if a checksum is wrong or the disk fails; the
     *     caller should then call {@link ChunkStore#verify}, which drops the chunk. With {@code
     *     UNAVAILABLE} if the read failed for another reason.
     */
    public void readVerified(int from, ByteBuffer target) {
        int to = from + target.remaining();
        Objects.checkFromToIndex(from, to, length());
        ByteBuffer scratch = SCRATCH.take();
        try {
            for (int block = from / BLOCK; target.hasRemaining(); block++) {
                readBlock(block, scratch);
                int start = block * BLOCK;
                int skip = Math.max(0, from - start);
                target.put(scratch.slice(skip, Math.min(to - start, scratch.limit()) - skip));
            }
        } catch (IOException e) {
            throw new ForebayException(
                    DiskFailure.of(e) == DiskFailure.OTHER
                            ? ErrorCode.UNAVAILABLE
                            : ErrorCode.CORRUPT,
                    "cannot read chunk " + id(),
                    e);
        } finally {
            SCRATCH.give(scratch);
        }
    }

    /**
     * Reads the blocks of {@code [from, to)} into the page cache and waits for them. The next read
     * or send then does not wait for the disk. No bytes are copied to this process: {@code
     * transferTo} makes the kernel send its pages to {@code /dev/null}.
     */
    public void bring(int from, int to) throws IOException {
        int at = from - from % BLOCK;
        int end = Math.min(Math.ceilDiv(to, BLOCK) * BLOCK, length());
        while (from < to && at < end) {
            int brought = (int) channel.transferTo(at, end - at, NOWHERE);
            if (brought == 0) {
                throw new DamagedChunkException(id() + ": the file ends at " + at);
            }
            at += brought;
        }
    }

    /** Reads one 64 KiB block and checks its checksum. */
    public void readBlock(int block, ByteBuffer target) throws IOException {
        int start = block * BLOCK;
        target.clear().limit(Math.min(BLOCK, length() - start));
        ChunkFooter.readFully(channel, start, target);
        if (ChunkFooter.crc(target.duplicate()) != footer.checksum(block)) {
            throw new DamagedChunkException(id() + ": wrong checksum of block " + block);
        }
    }

    /** Reads the whole chunk and checks all its checksums. */
    public void verify() throws IOException {
        ByteBuffer scratch = SCRATCH.take();
        try {
            for (int block = 0; block < ChunkFooter.checksums(length()); block++) {
                readBlock(block, scratch);
            }
        } finally {
            SCRATCH.give(scratch);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot close " + path, e);
        }
    }
}
