package dev.forebay.image;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;

/**
 * Sizes and limits of the on-disk format, {@code fs/erofs/erofs_fs.h}. All its numbers are
 * little-endian.
 */
final class Erofs {

    static final int BLOCK_BITS = 12;
    static final int BLOCK_BYTES = 1 << BLOCK_BITS;

    /** Inodes begin at multiples of this, which are also their numbers. */
    static final int SLOT_BYTES = 32;

    /** Block addresses have 32 bits, and the highest address stands for a hole. */
    static final long MAX_BLOCKS = 0xffff_ffffL;

    /** Devices have 16-bit numbers from 1 on; 0 is the image itself. */
    static final int MAX_DEVICES = 0xffff;

    private Erofs() {}

    static long blocks(long bytes) {
        return Math.ceilDiv(bytes, (long) BLOCK_BYTES);
    }

    static ForebayException tooLarge(String what) {
        return new ForebayException(
                ErrorCode.TOO_LARGE, what + ": more than an EROFS image can address");
    }
}
