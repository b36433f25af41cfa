package dev.forebay.chunkstore.eviction;

import java.util.Arrays;

/**
 * Estimates how often keys were used recently. It is a count-min sketch of counters up to 15. All
 * counters are halved when it has counted ten times as many uses as there are keys, so the uses of
 * removed keys fade. Takes eight bytes for each key. Not safe for use by many threads.
 */
final class FrequencySketch {

    private static final int HASHES = 4;
    private static final int BYTES = 8;
    private static final int MOST = 15;
    private static final int SAMPLE = 10;

    /** Two counters in each byte. */
    private byte[] cells = new byte[64];

    private long counted;

    /** Makes the sketch large enough for this many keys. Counts stay. */
    void ensure(int keys) {
        while ((long) keys * BYTES > cells.length && cells.length < 1 << 29) {
            // A place is the low bits of a hash, so the upper half begins as a copy of the lower.
            byte[] twice = Arrays.copyOf(cells, 2 * cells.length);
            System.arraycopy(cells, 0, twice, cells.length, cells.length);
            cells = twice;
        }
    }

    private int place(int key, int hash) {
        long mixed = (((long) hash << 32) | Integer.toUnsignedLong(key)) * 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ (mixed >>> 32)) * 0xbf58476d1ce4e5b9L;
        return (int) (mixed >>> 33) & (2 * cells.length - 1);
    }

    void count(int key, int keys) {
        for (int hash = 0; hash < HASHES; hash++) {
            int at = place(key, hash);
            if (counter(at) < MOST) {
                cells[at / 2] += (byte) (at % 2 == 0 ? 1 : 16);
            }
        }
        if (++counted >= (long) SAMPLE * Math.max(keys, cells.length / BYTES / 2)) {
            counted /= 2;
            for (int i = 0; i < cells.length; i++) {
                cells[i] = (byte) ((cells[i] >>> 1) & 0x77);
            }
        }
    }

    private int counter(int at) {
        return (cells[at / 2] >>> (at % 2 * 4)) & MOST;
    }

    int frequency(int key) {
        int least = MOST;
        for (int hash = 0; hash < HASHES; hash++) {
            least = Math.min(least, counter(place(key, hash)));
        }
        return least;
    }
}
