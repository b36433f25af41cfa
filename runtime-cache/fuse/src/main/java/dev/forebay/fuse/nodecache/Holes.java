package dev.forebay.fuse.nodecache;

import dev.forebay.linux.DiskFile;
import java.io.IOException;
import java.util.BitSet;

/** Gives what is in a pack's file back to the file system. Safe for use by many threads. */
final class Holes {

    private final DiskFile data;
    private final long packBytes;

    Holes(DiskFile data, long packBytes) {
        this.data = data;
        this.packBytes = packBytes;
    }

    /** Makes pages of a chunk holes. */
    void punch(int chunk, BitSet pages) throws IOException {
        for (int first = pages.nextSetBit(0); first >= 0; ) {
            int end = pages.nextClearBit(first);
            punch(Sizes.offset(chunk, first), Sizes.offset(chunk, end));
            first = pages.nextSetBit(end);
        }
    }

    /** Makes a whole chunk a hole. */
    void punch(int chunk) throws IOException {
        punch(Sizes.offset(chunk, 0), Math.min(Sizes.offset(chunk + 1, 0), packBytes));
    }

    /** Makes a range of the pack a hole; none, if it is empty. */
    void punch(long from, long to) throws IOException {
        if (from < to) {
            data.punch(from, to - from);
        }
    }
}
