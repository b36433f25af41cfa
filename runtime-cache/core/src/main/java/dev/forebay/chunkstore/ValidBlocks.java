package dev.forebay.chunkstore;

import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which 4 KiB blocks of a chunk hold the bytes they should. Immutable.
 *
 * <p>A complete chunk, the usual case, costs no bitmap.
 */
public final class ValidBlocks {

    private static final int BLOCK = ChunkId.ALIGNMENT_BYTES;

    private final int chunkBytes;
    private final @Nullable BitSet bits;

    private ValidBlocks(int chunkBytes, BitSet bits) {
        this.chunkBytes = chunkBytes;
        this.bits = bits.nextClearBit(0) >= blocks(chunkBytes) ? null : bits;
    }

    /**
     * The blocks that {@code ranges} cover in a chunk of {@code chunkBytes}.
     *
     * <p>A range begins on a multiple of 4 KiB, as every object does, or at the chunk's start. The
     * block it ends in counts as covered: what follows an object's end there is padding, zeros, and
     * belongs to nobody else.
     *
     * @throws ForebayException with {@code INVALID_ARGUMENT} if a range begins elsewhere or ends
     *     beyond the chunk
     */
    public static ValidBlocks of(int chunkBytes, List<ByteRange> ranges) {
        BitSet bits = new BitSet(blocks(chunkBytes));
        for (ByteRange range : ranges) {
            if (range.from() % BLOCK != 0 || range.to() > chunkBytes) {
                throw new ForebayException(
                        ErrorCode.INVALID_ARGUMENT,
                        "%s must begin on a multiple of 4 KiB and end within the chunk's %d bytes"
                                .formatted(range, chunkBytes));
            }
            bits.set(range.from() / BLOCK, blocks(range.to()));
        }
        return new ValidBlocks(chunkBytes, bits);
    }

    /** All blocks of a chunk of {@code chunkBytes}. */
    public static ValidBlocks all(int chunkBytes) {
        return of(chunkBytes, List.of(new ByteRange(0, chunkBytes)));
    }

    static ValidBlocks of(int chunkBytes, BitSet bits) {
        return new ValidBlocks(chunkBytes, bits);
    }

    /** Reads a bitmap: block k is byte k/8, bit k%8. */
    static ValidBlocks decode(int chunkBytes, byte[] bitmap) {
        return new ValidBlocks(chunkBytes, BitSet.valueOf(bitmap));
    }

    byte[] encode() {
        return Arrays.copyOf(bits().toByteArray(), bitmapBytes(chunkBytes));
    }

    static int bitmapBytes(int chunkBytes) {
        return (blocks(chunkBytes) + 7) / 8;
    }

    private static int blocks(int bytes) {
        return (bytes + BLOCK - 1) / BLOCK;
    }

    /** The length of the chunk in bytes. */
    public int chunkBytes() {
        return chunkBytes;
    }

    /** Whether every byte of {@code [from, to)} is valid. */
    public boolean holds(int from, int to) {
        Objects.checkFromToIndex(from, to, chunkBytes);
        return bits == null || from == to || bits.nextClearBit(from / BLOCK) >= blocks(to);
    }

    /** Whether any byte of {@code [from, to)} is valid. */
    boolean holdsAny(int from, int to) {
        if (bits == null) {
            return from < to;
        }
        int next = bits.nextSetBit(from / BLOCK);
        return next >= 0 && next < blocks(to);
    }

    /** Whether every byte of the chunk is valid. */
    public boolean complete() {
        return bits == null;
    }

    boolean covers(ValidBlocks other) {
        if (bits == null) {
            return true;
        }
        BitSet missing = other.bits();
        missing.andNot(bits);
        return missing.isEmpty();
    }

    /** A copy. */
    private BitSet bits() {
        if (bits != null) {
            return (BitSet) bits.clone();
        }
        BitSet all = new BitSet();
        all.set(0, blocks(chunkBytes));
        return all;
    }
}
