package dev.forebay.model;

/**
 * A manifest by reference, small enough for a workflow payload or an etcd value.
 *
 * @param uri where its bytes are, {@code s3://bucket/key}
 * @param digest SHA-256 of its bytes
 * @param objects how many objects the version has
 * @param bytes the sum of their sizes
 * @param chunks how many chunks hold at least one of its bytes
 */
public record ManifestRef(String uri, Digest digest, long objects, long bytes, long chunks) {

    /**
     * About how many bytes of stores the chunks take, from what is known without reading the
     * manifest: every object begins on a multiple of {@link ChunkId#ALIGNMENT_BYTES}. Less than
     * that only if it shares chunks with versions whose other objects lie between its own.
     */
    public long roomBytes() {
        return Math.min(
                chunks * ChunkId.CHUNK_BYTES, bytes + objects * (long) ChunkId.ALIGNMENT_BYTES);
    }
}
