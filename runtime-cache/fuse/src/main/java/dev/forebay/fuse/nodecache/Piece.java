package dev.forebay.fuse.nodecache;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * A range of a pack that is read or fetched in one step for a version. It lies within one aligned
 * MiB.
 */
final class Piece {

    private final Digest manifest;
    private final PackFile pack;
    private final ChunkId chunk;
    private final long from;
    private final long to;
    private final BitSet live;
    private final BitSet wanted;

    /**
     * @throws ForebayException if the version is not mounted
     */
    Piece(Digest manifest, PackFile pack, long from, long to, LivePages pages) {
        this.manifest = manifest;
        this.pack = pack;
        this.chunk = ChunkId.at(pack.id(), from);
        this.from = from;
        this.to = to;
        this.live = pages.of(manifest, chunk);
        this.wanted = PackUnits.pagesOf(from, to);
        wanted.and(live);
    }

    Digest manifest() {
        return manifest;
    }

    PackFile pack() {
        return pack;
    }

    ChunkId chunk() {
        return chunk;
    }

    /** Returns the start, in the pack. */
    long from() {
        return from;
    }

    /** Returns the end (exclusive), in the pack. */
    long to() {
        return to;
    }

    long bytes() {
        return to - from;
    }

    /** Returns whether all pages of the version in the range are cached. */
    boolean isHere() {
        return missing().isEmpty();
    }

    /**
     * Returns the pages, counted from the chunk's first, that the version has and that are not
     * cached.
     */
    BitSet missing() {
        return pack.chunks().missing(chunk.index(), wanted);
    }

    /** Returns the same pages for another range of the chunk. */
    BitSet missingOf(long start, long end) {
        BitSet pages = PackUnits.pagesOf(start, end);
        pages.and(live);
        return pack.chunks().missing(chunk.index(), pages);
    }

    /**
     * Reads the range. Returns false if not all pages are cached and intact; the target's content
     * is then undefined.
     *
     * @param strict whether partly read blocks are verified too
     */
    boolean read(ByteBuffer target, boolean strict) throws IOException {
        return pack.reader().read(from, wanted, target, strict);
    }
}
