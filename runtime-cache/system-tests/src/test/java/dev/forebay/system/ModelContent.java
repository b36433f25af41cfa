package dev.forebay.system;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The bytes of an object, as a function of its key, its version and the offset. They need no
 * storage.
 */
record ModelContent(long seed) {

    private static final long STEP = 0x9E3779B97F4A7C15L;

    static ModelContent of(String version, String key) {
        return new ModelContent(mix(version.hashCode() * STEP ^ key.hashCode()));
    }

    byte[] bytes(int length) {
        ByteBuffer all = ByteBuffer.allocate(Math.ceilDiv(length, 8) * 8);
        all.order(ByteOrder.LITTLE_ENDIAN);
        for (long word = 0; all.hasRemaining(); word++) {
            all.putLong(word(word));
        }
        return Arrays.copyOf(all.array(), length);
    }

    /**
     * Compares bytes that were read.
     *
     * @param read the bytes from its position to its limit; not modified
     * @return the offset in the object of the first wrong byte, or -1
     */
    long firstWrong(ByteBuffer read, long offset) {
        ByteBuffer little = read.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        long at = offset;
        while (little.hasRemaining()) {
            if (at % 8 == 0 && little.remaining() >= 8) {
                if (little.getLong() != word(at / 8)) {
                    return at;
                }
                at += 8;
            } else {
                if (little.get() != (byte) (word(at / 8) >>> (at % 8 * 8))) {
                    return at;
                }
                at++;
            }
        }
        return -1;
    }

    private long word(long index) {
        return mix(seed + index * STEP);
    }

    /** Applies the finalizer of SplitMix64. */
    private static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
