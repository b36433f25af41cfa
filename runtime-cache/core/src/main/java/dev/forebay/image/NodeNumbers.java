package dev.forebay.image;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;

/**
 * Maps the ids of nodes to the numbers of their inodes, and tells directories from files. It takes
 * 4 bytes per node in a scratch file. All nodes are added first, then {@link #map} makes them
 * readable. Not thread-safe.
 */
final class NodeNumbers {

    private static final long MAX_NUMBER = Integer.MAX_VALUE;

    /** The readable numbers. They are valid while the arena of the mapping is open. */
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

    /** Adds a node. Its id must be larger than those of all nodes before. */
    void add(long id, long number, boolean directory) throws IOException {
        if (number > MAX_NUMBER) {
            throw Erofs.tooLarge("inodes of more than 64 GiB");
        }
        for (; next < id; next++) {
            area.extend(Integer.BYTES).putInt(0);
        }
        area.extend(Integer.BYTES).putInt(((int) number << 1) | (directory ? 1 : 0));
        next++;
    }

    Mapped map(Arena arena) throws IOException {
        area.flush();
        return new Mapped(
                channel.map(FileChannel.MapMode.READ_ONLY, 0, next * Integer.BYTES, arena));
    }
}
