package dev.forebay.model;

/**
 * The identity of a chunk: bytes {@code [index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES)} of a
 * pack. The last chunk of a pack may be shorter.
 *
 * <p>A chunk is the unit of placement, fill, transfer, eviction and repair.
 */
public record ChunkId(PackId pack, int index) {

    /**
     * The size of every chunk except the last of a pack: 8 MiB. It is part of the manifest format,
     * not a setting.
     */
    public static final int CHUNK_BYTES = 8 << 20;

    /** The granularity of checksums inside a chunk: 64 KiB. A full chunk has 128 of them. */
    public static final int CHECKSUM_BLOCK_BYTES = 64 << 10;

    /** The alignment of every object in a pack: 4 KiB, the page and file-system block size. */
    public static final int ALIGNMENT_BYTES = 4 << 10;

    public ChunkId {
        if (index < 0) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "chunk index %d must not be negative".formatted(index));
        }
    }

    /**
     * Returns the chunk that holds byte {@code offset} of {@code pack}.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if the offset is beyond the largest
     *     possible pack
     */
    public static ChunkId at(PackId pack, long offset) {
        long index = offset / CHUNK_BYTES;
        if (index > Integer.MAX_VALUE) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "offset %d must be below %d"
                            .formatted(offset, (Integer.MAX_VALUE + 1L) * CHUNK_BYTES));
        }
        return new ChunkId(pack, (int) index);
    }

    /** Returns the offset of this chunk's first byte in its pack. */
    public long start() {
        return (long) index * CHUNK_BYTES;
    }

    /**
     * Returns the length of this chunk in a pack of {@code packBytes}: {@link #CHUNK_BYTES}, or
     * less for the last chunk.
     */
    public int length(long packBytes) {
        return (int) Math.min(CHUNK_BYTES, packBytes - start());
    }

    @Override
    public String toString() {
        return pack + "/" + index;
    }
}
