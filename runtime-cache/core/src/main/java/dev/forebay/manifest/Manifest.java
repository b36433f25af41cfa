package dev.forebay.manifest;

import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.util.List;
import java.util.Optional;

/**
 * A version's manifest, open for reading.
 *
 * <p>Answers come from the file through an index, never from a copy on the heap: a manifest of ten
 * million objects costs as little memory as one of ten. Safe for use by many threads.
 */
public interface Manifest extends AutoCloseable {

    /** The bucket that all keys are in. */
    String bucket();

    /** The number of files. */
    long objects();

    /** The sum of the files' sizes in bytes. */
    long bytes();

    /** The number of chunks that hold at least one byte of this version. */
    long chunkCount();

    /** The packs that hold this version's bytes, in order. */
    List<Pack> packs();

    /** The child of directory {@code parentId} with exactly this name. */
    Optional<Node> lookup(long parentId, String name);

    /** The node with this id. */
    Optional<Node> node(long id);

    /**
     * Up to {@code limit} children of directory {@code parentId} whose names come after {@code
     * afterName} in the order of their UTF-8 bytes; an empty {@code afterName} begins at the first.
     */
    List<Node> readdir(long parentId, String afterName, int limit);

    /**
     * The objects of this version that overlap bytes {@code [from, to)} of {@code pack}, by offset.
     */
    List<Segment> segments(PackId pack, long from, long to);

    /**
     * The objects of this version in a chunk, by offset: all of them, or {@code CORRUPT}. Padding
     * would else be served where the index has lost one.
     */
    List<Segment> segments(ChunkId chunk);

    /**
     * What lies in bytes {@code [from, to)} of {@code pack}, which are whole chunks; counted by the
     * index, without reading rows out.
     */
    Tally tally(PackId pack, long from, long to);

    /** Up to {@code limit} chunks of this version from ordinal {@code fromOrdinal} on. */
    List<ChunkRef> chunks(long fromOrdinal, int limit);

    @Override
    void close();
}
