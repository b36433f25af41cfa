package dev.forebay.chunkstore.file;

import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * The footer of a chunk file, after the bytes of the chunk: its identity, valid blocks and
 * checksums. {@code docs/interfaces.md}, "Chunk file", describes the format.
 */
public final class ChunkFooter {

    private static final int MAGIC = 0x46424331; // FBC1
    private static final int PACK_ID_BYTES = 32;
    private static final int TAIL_BYTES = PACK_ID_BYTES + 16;
    static final int MAX_BYTES = bytes(ChunkId.CHUNK_BYTES);

    private final ChunkId id;
    private final ValidBlocks valid;
    private final int[] crcs;

    /**
     * @param id the chunk, so that a file in the wrong place is recognised
     * @param crcs CRC-32C of each 64 KiB block
     */
    public ChunkFooter(ChunkId id, ValidBlocks valid, int[] crcs) {
        this.id = id;
        this.valid = valid;
        this.crcs = crcs;
    }

    ChunkId id() {
        return id;
    }

    public ValidBlocks valid() {
        return valid;
    }

    int checksum(int block) {
        return crcs[block];
    }

    /** Returns the size in bytes of the footer of a chunk of {@code length} bytes. */
    public static int bytes(int length) {
        return ValidBlocks.bitmapBytes(length) + 4 * checksums(length) + TAIL_BYTES;
    }

    public static int checksums(int length) {
        return (length + ChunkId.CHECKSUM_BLOCK_BYTES - 1) / ChunkId.CHECKSUM_BLOCK_BYTES;
    }

    int length() {
        return valid.chunkBytes();
    }

    public ByteBuffer encode() {
        ByteBuffer out = ByteBuffer.allocate(bytes(length()));
        out.put(valid.encode());
        for (int crc : crcs) {
            out.putInt(crc);
        }
        out.put(HexFormat.of().parseHex(id.pack().digest().hex()));
        out.putInt(id.index()).putInt(length());
        out.putInt(crc(out.duplicate().flip()));
        return out.putInt(MAGIC).flip();
    }

    /**
     * Reads the footer of a chunk file.
     *
     * @throws DamagedChunkException if the file does not end in a valid footer of this chunk
     */
    static ChunkFooter read(FileChannel file, ChunkId id) throws IOException {
        long fileBytes = file.size();
        ByteBuffer end = ByteBuffer.allocate((int) Math.min(fileBytes, MAX_BYTES));
        readFully(file, fileBytes - end.capacity(), end);
        if (end.capacity() < TAIL_BYTES || end.getInt(end.capacity() - 4) != MAGIC) {
            throw new DamagedChunkException(id + ": no footer");
        }
        int length = end.getInt(end.capacity() - 12);
        if (length <= 0
                || length > ChunkId.CHUNK_BYTES
                || (long) length + bytes(length) != fileBytes) {
            throw new DamagedChunkException(id + ": the file's length differs from its footer");
        }
        ByteBuffer footer = end.slice(end.capacity() - bytes(length), bytes(length));
        if (crc(footer.slice(0, bytes(length) - 8)) != footer.getInt(bytes(length) - 8)) {
            throw new DamagedChunkException(id + ": the footer's checksum is wrong");
        }
        byte[] bitmap = new byte[ValidBlocks.bitmapBytes(length)];
        footer.get(bitmap);
        int[] crcs = new int[checksums(length)];
        for (int i = 0; i < crcs.length; i++) {
            crcs[i] = footer.getInt();
        }
        byte[] pack = new byte[PACK_ID_BYTES];
        footer.get(pack);
        ChunkId says = new ChunkId(PackId.parse(HexFormat.of().formatHex(pack)), footer.getInt());
        if (!says.equals(id)) {
            throw new DamagedChunkException(id + ": the file belongs to chunk " + says);
        }
        return new ChunkFooter(id, ValidBlocks.decode(length, bitmap), crcs);
    }

    public static int crc(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    public static void readFully(FileChannel file, long position, ByteBuffer target)
            throws IOException {
        int start = target.position();
        while (target.hasRemaining()) {
            if (file.read(target, position + target.position() - start) < 0) {
                throw new DamagedChunkException("the file is shorter than it was");
            }
        }
        target.flip();
    }
}
