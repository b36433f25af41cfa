package dev.forebay.chunkstore.file;

import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The 4 KiB blocks of a chunk that hold valid bytes. Immutable.
 *
 * <p>Stores the few blocks at which validity changes: two for each valid range. A complete chunk,
 * the usual case, stores none.
 */
public final class ValidBlocks {

    private static final int BLOCK = ChunkId.ALIGNMENT_BYTES;

    private final int chunkBytes;

    /**
     * The first valid block, the first invalid block after it, and so on; null if all blocks are
     * valid.
     */
    private final char @Nullable [] edges;

    private ValidBlocks(int chunkBytes, char @Nullable [] edges) {
        this.chunkBytes = chunkBytes;
        this.edges = edges;
    }

    /**
     * Returns the blocks that {@code ranges} cover in a chunk of {@code chunkBytes}.
     *
     * <p>A range begins on a multiple of 4 KiB, as every object does, or at the start of the chunk.
     * The block in which it ends counts as covered: the rest of that block is zero padding, and no
     * other object uses it.
     *
     * @throws ForebayException with {@code INVALID_ARGUMENT} if a range begins elsewhere or ends
     *     beyond the chunk
     */
    public static ValidBlocks of(int chunkBytes, List<ChunkRange> ranges) {
        BitSet bits = new BitSet(blocks(chunkBytes));
        for (ChunkRange range : ranges) {
            if (range.from() % BLOCK != 0 || range.to() > chunkBytes) {
                throw new ForebayException(
                        ErrorCode.INVALID_ARGUMENT,
                        "%s must begin on a multiple of 4 KiB and end within the chunk's %d bytes"
                                .formatted(range, chunkBytes));
            }
            bits.set(range.from() / BLOCK, blocks(range.to()));
        }
        return of(chunkBytes, bits);
    }

    /** Returns all blocks of a chunk of {@code chunkBytes}. */
    public static ValidBlocks all(int chunkBytes) {
        return new ValidBlocks(chunkBytes, null);
    }

    public static ValidBlocks of(int chunkBytes, BitSet bits) {
        if (bits.nextClearBit(0) >= blocks(chunkBytes)) {
            return all(chunkBytes);
        }
        StringBuilder edges = new StringBuilder();
        for (int at = bits.nextSetBit(0); at >= 0; ) {
            int end = bits.nextClearBit(at);
            edges.append((char) at).append((char) end);
            at = bits.nextSetBit(end);
        }
        return new ValidBlocks(chunkBytes, edges.toString().toCharArray());
    }

    /** Reads a bitmap: block k is byte k/8, bit k%8. */
    static ValidBlocks decode(int chunkBytes, byte[] bitmap) {
        return of(chunkBytes, BitSet.valueOf(bitmap));
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

    /** Returns the length of the chunk in bytes. */
    public int chunkBytes() {
        return chunkBytes;
    }

    /** Returns whether every byte of {@code [from, to)} is valid. */
    public boolean holds(int from, int to) {
        Objects.checkFromToIndex(from, to, chunkBytes);
        if (edges == null || from == to) {
            return true;
        }
        int after = edgesUpTo(edges, from / BLOCK);
        return after % 2 == 1 && edges[after] >= blocks(to);
    }

    /** Returns whether any byte of {@code [from, to)} is valid. */
    public boolean holdsAny(int from, int to) {
        if (edges == null || from == to) {
            return from < to;
        }
        int after = edgesUpTo(edges, from / BLOCK);
        return after % 2 == 1 || (after < edges.length && edges[after] < blocks(to));
    }

    private static int edgesUpTo(char[] edges, int block) {
        int found = Arrays.binarySearch(edges, (char) block);
        return found < 0 ? -found - 1 : found + 1;
    }

    /** Returns whether every byte of the chunk is valid. */
    public boolean complete() {
        return edges == null;
    }

    public boolean covers(ValidBlocks other) {
        if (edges == null) {
            return true;
        }
        BitSet missing = other.bits();
        missing.andNot(bits());
        return missing.isEmpty();
    }

    private BitSet bits() {
        BitSet bits = new BitSet();
        if (edges == null) {
            bits.set(0, blocks(chunkBytes));
        } else {
            for (int i = 0; i < edges.length; i += 2) {
                bits.set(edges[i], edges[i + 1]);
            }
        }
        return bits;
    }
}
