package dev.forebay.image;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Packs the names of directories into blocks. The blocks are incomplete: they have node ids instead
 * of inode numbers, and no file types. {@link DirectoryLinker} completes them.
 *
 * <p>A block has a sequence of {@value #ENTRY_BYTES}-byte entries, followed by their names without
 * gaps. The kernel uses a binary search in byte order, across blocks and within a block. {@code .}
 * and {@code ..} have no special position. Not thread-safe.
 */
final class DirectoryBlocks {

    /** Number (8 bytes), offset of the name (2), file type (1), unused (1). */
    static final int ENTRY_BYTES = 12;

    private static final int MAX_ENTRIES = Erofs.BLOCK_BYTES / (ENTRY_BYTES + 1);

    private static final byte[] DOT = ".".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DOT_DOT = "..".getBytes(StandardCharsets.US_ASCII);

    /**
     * The size of a packed directory.
     *
     * @param fullBlocks how many blocks are full, or padded with zeros
     * @param tailBytes how many bytes the last block has if it is not full; 0 if there is none
     * @param bytes the size of the directory
     */
    record Shape(long fullBlocks, int tailBytes, long bytes) {}

    private final Area area;
    private final long[] ids = new long[MAX_ENTRIES];
    private final int[] nameEnds = new int[MAX_ENTRIES];
    private final byte[] names = new byte[Erofs.BLOCK_BYTES];
    private int entries;
    private long fullBlocks;

    private long self;
    private long parent;
    private boolean dotAdded;
    private boolean dotDotAdded;

    DirectoryBlocks(FileChannel scratch) {
        area = new Area(scratch, 0);
    }

    /** Begins a directory. */
    void begin(long directory, long parentDirectory) {
        self = directory;
        parent = parentDirectory;
        dotAdded = false;
        dotDotAdded = false;
        fullBlocks = 0;
    }

    /** Adds the next name, in byte order. */
    void add(long id, byte[] name) throws IOException {
        if (!dotDotAdded) {
            addDotsBefore(name);
        }
        put(id, name);
    }

    private void addDotsBefore(byte[] name) throws IOException {
        if (!dotAdded && Arrays.compareUnsigned(DOT, name) < 0) {
            addDot();
        }
        if (Arrays.compareUnsigned(DOT_DOT, name) < 0) {
            addDotDot();
        }
    }

    private void addDot() throws IOException {
        put(self, DOT);
        dotAdded = true;
    }

    private void addDotDot() throws IOException {
        put(parent, DOT_DOT);
        dotDotAdded = true;
    }

    /** Ends the directory. */
    Shape end() throws IOException {
        if (!dotAdded) {
            addDot();
        }
        if (!dotDotAdded) {
            addDotDot();
        }
        int used = used();
        long bytes = fullBlocks * Erofs.BLOCK_BYTES + used;
        boolean inline = used <= InodeArea.MAX_TAIL_BYTES;
        flushEntries(inline ? used : Erofs.BLOCK_BYTES);
        return inline ? new Shape(fullBlocks, used, bytes) : new Shape(fullBlocks + 1, 0, bytes);
    }

    private int used() {
        return entries * ENTRY_BYTES + namesEnd();
    }

    private int namesEnd() {
        return entries == 0 ? 0 : nameEnds[entries - 1];
    }

    private void put(long id, byte[] name) throws IOException {
        if (used() + ENTRY_BYTES + name.length > Erofs.BLOCK_BYTES) {
            flushEntries(Erofs.BLOCK_BYTES);
            fullBlocks++;
        }
        System.arraycopy(name, 0, names, namesEnd(), name.length);
        ids[entries] = id;
        nameEnds[entries] = namesEnd() + name.length;
        entries++;
    }

    private void flushEntries(int bytes) throws IOException {
        int used = used();
        ByteBuffer out = area.extend(bytes);
        int nameBegin = entries * ENTRY_BYTES;
        for (int i = 0; i < entries; i++) {
            out.putLong(ids[i]);
            out.putShort((short) (nameBegin + (i == 0 ? 0 : nameEnds[i - 1])));
            out.putShort((short) 0);
        }
        out.put(names, 0, namesEnd());
        out.put(new byte[bytes - used]);
        entries = 0;
    }

    /** Writes the buffered bytes. */
    void finish() throws IOException {
        area.flush();
    }
}
