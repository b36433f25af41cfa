package dev.forebay.model;

/**
 * A reference to a manifest, small enough for a workflow payload or an etcd value.
 *
 * @param uri the location of the manifest, {@code s3://bucket/key}
 * @param digest SHA-256 of the manifest's bytes
 * @param objects the number of objects in the version
 * @param bytes the sum of their sizes
 * @param chunks the number of chunks that hold at least one byte of the version
 */
public record ManifestRef(String uri, Digest digest, long objects, long bytes, long chunks) {

    /**
     * Estimates, without reading the manifest, how many bytes of the chunk stores the version
     * takes. The estimate is the smaller of two bounds: all of its chunks, or the bytes of its
     * objects, plus {@link ChunkId#ALIGNMENT_BYTES} for each object (its padding, at most) and for
     * each chunk (its footer).
     *
     * <p>The second bound is the smaller one if the version fills only part of its chunks, as it
     * does when they also hold objects of other versions.
     */
    public long spaceBytes() {
        return Math.min(
                chunks * ChunkId.CHUNK_BYTES, bytes + (objects + chunks) * ChunkId.ALIGNMENT_BYTES);
    }
}
