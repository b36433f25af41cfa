package dev.forebay.fuse.nodecache;

import dev.forebay.linux.DiskFile;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * The record of which pages of a pack are on disk, in a file beside the pack's. {@code
 * docs/interfaces.md}, "Node cache", has the format.
 *
 * <p>A record is written after the bytes that it covers, and before they are removed, but neither
 * is synced. The checksums reveal what a power failure leaves. A record that was torn by it reads
 * as empty. Thread-safe, if one thread at a time writes the record of a chunk.
 */
final class PackMap implements AutoCloseable {

    private static final int MAGIC = 0x46424e43; // FBNC
    private static final int FORMAT = 1;
    private static final int SHUT = 0x53485554; // SHUT
    private static final int OPEN = 0x4f50454e; // OPEN
    private static final int HARM = 0x4841524d; // HARM
    private static final int WELL = 0x57454c4c; // WELL

    private static final int HEAD_BYTES = 4 + 4 + 32 + 8 + 4 + 4;
    // Each mark has its own sector, so that a torn write of it damages nothing else.
    private static final long STATE_AT = 512;
    private static final long HARM_AT = 1024;
    private static final int MARK_BYTES = 4 + 4;
    private static final long RECORDS_AT = 4096;
    static final int RECORD_STRIDE = 1024;
    private static final int BITMAP_BYTES = PackUnits.PAGES_OF_CHUNK / 8;
    private static final int CHECKSUMS_AT = BITMAP_BYTES;
    private static final int INDEX_AT = CHECKSUMS_AT + 4 * PackUnits.BLOCKS_OF_CHUNK;
    private static final int CRC_AT = INDEX_AT + 4;
    private static final int RECORD_BYTES = CRC_AT + 4;

    private final DiskFile file;
    private final byte[] packId;
    private final long packBytes;
    private final boolean shut;
    private final boolean harmed;

    private PackMap(DiskFile file, byte[] packId, long packBytes, boolean shut, boolean harmed) {
        this.file = file;
        this.packId = packId;
        this.packBytes = packBytes;
        this.shut = shut;
        this.harmed = harmed;
    }

    /** Creates the map of a pack without any cached page. */
    static PackMap create(Path path, PackId pack, long packBytes) throws IOException {
        Files.createFile(path);
        DiskFile file = DiskFile.open(path);
        try {
            PackMap map = new PackMap(file, bytes(pack), packBytes, false, false);
            ByteBuffer head =
                    ByteBuffer.allocate(HEAD_BYTES)
                            .putInt(MAGIC)
                            .putInt(FORMAT)
                            .put(map.packId)
                            .putLong(packBytes)
                            .putInt(PackUnits.CHUNK);
            head.putInt(crc(new byte[0], head, HEAD_BYTES - 4));
            file.setLength(RECORDS_AT + (long) PackUnits.chunks(packBytes) * RECORD_STRIDE);
            map.write(head.array(), 0);
            map.mark(STATE_AT, OPEN);
            return map;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /**
     * Opens the map of a pack.
     *
     * @throws DamagedMapException if the file is not a map, or belongs to another pack
     */
    static PackMap open(Path path, PackId pack) throws IOException {
        DiskFile file = DiskFile.open(path);
        try {
            byte[] packId = bytes(pack);
            ByteBuffer head = read(file, 0, HEAD_BYTES);
            int crc = crc(new byte[0], head, HEAD_BYTES - 4);
            boolean known = head.getInt() == MAGIC && head.getInt() == FORMAT;
            byte[] recordedPack = new byte[packId.length];
            head.get(recordedPack);
            long packBytes = head.getLong();
            boolean intact = head.getInt() == PackUnits.CHUNK && head.getInt() == crc;
            if (!known || !intact || !Arrays.equals(recordedPack, packId)) {
                throw new DamagedMapException(path + " is not the map of its pack");
            }
            return new PackMap(
                    file,
                    packId,
                    packBytes,
                    isMarked(file, packId, STATE_AT, SHUT),
                    isMarked(file, packId, HARM_AT, HARM));
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    private static boolean isMarked(DiskFile file, byte[] packId, long position, int word)
            throws IOException {
        ByteBuffer mark = read(file, position, MARK_BYTES);
        return mark.getInt() == word && mark.getInt() == crc(packId, mark, 4);
    }

    /** Returns the size of the pack in bytes. */
    long packBytes() {
        return packBytes;
    }

    /** Returns whether records and bytes on the device agreed when it was opened. */
    boolean wasShut() {
        return shut;
    }

    /** Marks that records and bytes may differ from now on. Synced. */
    void markOpen() throws IOException {
        mark(STATE_AT, OPEN);
        file.syncData();
    }

    /** Marks that records and bytes agree; the bytes must have been synced. Synced. */
    void markShut() throws IOException {
        file.syncData();
        mark(STATE_AT, SHUT);
        file.syncData();
    }

    /** Returns whether views might have shown damaged bytes when it was opened. */
    boolean wasHarmed() {
        return harmed;
    }

    /** Sets or clears the mark that views may show damaged bytes. Not synced. */
    void markHarmed(boolean now) throws IOException {
        mark(HARM_AT, now ? HARM : WELL);
    }

    private void mark(long position, int word) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(MARK_BYTES).putInt(word);
        write(bytes.putInt(crc(packId, bytes, 4)).array(), position);
    }

    /** Returns the record of a chunk, which is empty if it is damaged. */
    ChunkRecord read(int chunk) throws IOException {
        ByteBuffer bytes = read(file, at(chunk), RECORD_BYTES);
        if (bytes.getInt(INDEX_AT) != chunk || bytes.getInt(CRC_AT) != crc(packId, bytes, CRC_AT)) {
            return ChunkRecord.EMPTY;
        }
        BitSet pages = BitSet.valueOf(bytes.slice(0, BITMAP_BYTES));
        int[] checksums = new int[PackUnits.BLOCKS_OF_CHUNK];
        bytes.slice(CHECKSUMS_AT, 4 * checksums.length).asIntBuffer().get(checksums);
        return new ChunkRecord(pages, checksums);
    }

    /** Writes the record of a chunk. */
    void write(int chunk, ChunkRecord record) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(RECORD_BYTES);
        bytes.put(record.pages().toByteArray()).position(CHECKSUMS_AT);
        for (int block = 0; block < PackUnits.BLOCKS_OF_CHUNK; block++) {
            bytes.putInt(record.checksum(block));
        }
        bytes.putInt(chunk);
        write(bytes.putInt(crc(packId, bytes, CRC_AT)).array(), at(chunk));
    }

    private static long at(int chunk) {
        return RECORDS_AT + (long) chunk * RECORD_STRIDE;
    }

    /** Reads bytes, with zeros after the end of the file. */
    private static ByteBuffer read(DiskFile file, long position, int bytes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(bytes);
            file.read(buffer, position);
            return ByteBuffer.wrap(buffer.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private void write(byte[] bytes, long position) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            file.write(
                    arena.allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes)), position);
        }
    }

    private static int crc(byte[] salt, ByteBuffer bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(salt);
        crc.update(bytes.slice(0, length));
        return (int) crc.getValue();
    }

    private static byte[] bytes(PackId pack) {
        return HexFormat.of().parseHex(pack.digest().hex());
    }

    @Override
    public void close() {
        file.close();
    }
}
