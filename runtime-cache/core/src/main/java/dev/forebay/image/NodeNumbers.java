package dev.forebay.image;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;

/**
 * Which inode has which number, by the node's id, and whether it is a directory: 4 bytes a node, in
 * a scratch file. First all are added, then {@link #map} makes them readable. Not thread-safe.
 */
final class NodeNumbers {

    private static final long MAX_NUMBER = Integer.MAX_VALUE;

    /** The numbers, while the arena that they were mapped in is open. */
    record Mapped(MemorySegment entries) {

        private static final ValueLayout.OfInt ENTRY =
                ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

        int number(long id) {
            return entry(id) >>> 1;
        }

        boolean isDirectory(long id) {
            return (entry(id) & 1) != 0;
        }

        private int entry(long id) {
            return entries.getAtIndex(ENTRY, id);
        }
    }

    private final FileChannel channel;
    private final Area area;
    private long next;

    NodeNumbers(FileChannel scratch) {
        channel = scratch;
        area = new Area(scratch, 0);
    }

    /** Adds a node whose id is larger than those of all before. */
    void add(long id, long number, boolean directory) throws IOException {
        if (number > MAX_NUMBER) {
            throw Erofs.tooLarge("inodes of more than 64 GiB");
        }
        for (; next < id; next++) {
            area.room(Integer.BYTES).putInt(0);
        }
        area.room(Integer.BYTES).putInt(((int) number << 1) | (directory ? 1 : 0));
        next++;
    }

    Mapped map(Arena arena) throws IOException {
        area.flush();
        return new Mapped(
                channel.map(FileChannel.MapMode.READ_ONLY, 0, next * Integer.BYTES, arena));
    }
}
