package dev.forebay.manifest;

import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.util.List;
import java.util.Optional;

/**
 * A version's manifest, open for reading.
 *
 * <p>Answers come from the file through an index, not from a copy on the heap. A manifest of ten
 * million objects therefore takes as little memory as one of ten. Thread-safe.
 */
public interface Manifest extends AutoCloseable {

    /** Returns the bucket of all keys. */
    String bucket();

    /** Returns the number of files. */
    long objects();

    /** Returns the sum of the files' sizes in bytes. */
    long bytes();

    /** Returns the number of chunks that hold at least one byte of this version. */
    long chunkCount();

    /** Returns the packs that hold this version's bytes, in order. */
    List<Pack> packs();

    /** Returns the child of directory {@code parentId} with exactly this name. */
    Optional<Node> lookup(long parentId, String name);

    /** Returns the node with this id. */
    Optional<Node> node(long id);

    /**
     * Returns up to {@code limit} children of directory {@code parentId} whose names come after
     * {@code afterName} in the order of their UTF-8 bytes. An empty {@code afterName} begins at the
     * first child.
     */
    List<Node> readdir(long parentId, String afterName, int limit);

    /**
     * Returns the objects of this version that overlap bytes {@code [from, to)} of {@code pack}, by
     * offset.
     */
    List<Segment> segments(PackId pack, long from, long to);

    /**
     * Returns all objects of this version in a chunk, by offset, or fails with {@code CORRUPT} if
     * the index has lost one. Zeros would be served as padding in its place otherwise.
     */
    List<Segment> segments(ChunkId chunk);

    /**
     * Counts the objects in bytes {@code [from, to)} of {@code pack}, which are whole chunks. The
     * database counts them, so no rows are read out.
     */
    ChunkTotals tally(PackId pack, long from, long to);

    /** Returns up to {@code limit} chunks of this version from ordinal {@code fromOrdinal} on. */
    List<ChunkRef> chunks(long fromOrdinal, int limit);

    @Override
    void close();
}
