package dev.forebay.fuse.nodecache;

import dev.forebay.linux.DiskFile;
import java.io.IOException;
import java.util.BitSet;

/** Returns space in a pack's file to the file system by punching holes. Thread-safe. */
final class Holes {

    private final DiskFile data;
    private final long packBytes;

    Holes(DiskFile data, long packBytes) {
        this.data = data;
        this.packBytes = packBytes;
    }

    /** Punches holes for pages of a chunk. */
    void punch(int chunk, BitSet pages) throws IOException {
        for (int first = pages.nextSetBit(0); first >= 0; ) {
            int end = pages.nextClearBit(first);
            punch(PackUnits.offset(chunk, first), PackUnits.offset(chunk, end));
            first = pages.nextSetBit(end);
        }
    }

    /** Punches a hole for a whole chunk. */
    void punch(int chunk) throws IOException {
        punch(PackUnits.offset(chunk, 0), Math.min(PackUnits.offset(chunk + 1, 0), packBytes));
    }

    /** Punches a hole for a range of the pack, unless it is empty. */
    void punch(long from, long to) throws IOException {
        if (from < to) {
            data.punch(from, to - from);
        }
    }
}
