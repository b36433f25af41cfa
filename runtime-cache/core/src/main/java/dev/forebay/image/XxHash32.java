package dev.forebay.image;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The hash of the kernel's filter for names of extended attributes. The algorithm is in xxHash's
 * {@code doc/xxhash_spec.md}.
 */
final class XxHash32 {

    private static final int PRIME_1 = 0x9E3779B1;
    private static final int PRIME_2 = 0x85EBCA77;
    private static final int PRIME_3 = 0xC2B2AE3D;
    private static final int PRIME_4 = 0x27D4EB2F;
    private static final int PRIME_5 = 0x165667B1;
    private static final int STRIPE_BYTES = 16;

    private XxHash32() {}

    static int hash(byte[] bytes, int seed) {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int hash = in.remaining() >= STRIPE_BYTES ? stripes(in, seed) : seed + PRIME_5;
        hash += bytes.length;
        while (in.remaining() >= Integer.BYTES) {
            hash = Integer.rotateLeft(hash + in.getInt() * PRIME_3, 17) * PRIME_4;
        }
        while (in.hasRemaining()) {
            hash = Integer.rotateLeft(hash + (in.get() & 0xff) * PRIME_5, 11) * PRIME_1;
        }
        hash = (hash ^ (hash >>> 15)) * PRIME_2;
        hash = (hash ^ (hash >>> 13)) * PRIME_3;
        return hash ^ (hash >>> 16);
    }

    private static int stripes(ByteBuffer in, int seed) {
        int a = seed + PRIME_1 + PRIME_2;
        int b = seed + PRIME_2;
        int c = seed;
        int d = seed - PRIME_1;
        while (in.remaining() >= STRIPE_BYTES) {
            a = round(a, in.getInt());
            b = round(b, in.getInt());
            c = round(c, in.getInt());
            d = round(d, in.getInt());
        }
        return Integer.rotateLeft(a, 1)
                + Integer.rotateLeft(b, 7)
                + Integer.rotateLeft(c, 12)
                + Integer.rotateLeft(d, 18);
    }

    private static int round(int lane, int input) {
        return Integer.rotateLeft(lane + input * PRIME_2, 13) * PRIME_1;
    }
}
