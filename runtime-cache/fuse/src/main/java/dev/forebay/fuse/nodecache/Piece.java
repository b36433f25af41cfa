package dev.forebay.fuse.nodecache;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * A range of a pack, on behalf of a version, that is read or brought at once: it lies within one
 * MiB of the pack, counted from its beginning.
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
     * @throws ForebayException if the version is not known here
     */
    Piece(Digest manifest, PackFile pack, long from, long to, LivePages pages) {
        this.manifest = manifest;
        this.pack = pack;
        this.chunk = ChunkId.at(pack.id(), from);
        this.from = from;
        this.to = to;
        this.live = pages.of(manifest, chunk);
        this.wanted = Sizes.pagesOf(from, to);
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

    /** Where it begins, in the pack. */
    long from() {
        return from;
    }

    /** Where it ends, in the pack. */
    long to() {
        return to;
    }

    long bytes() {
        return to - from;
    }

    /** Whether all that the version has of it is here. */
    boolean isHere() {
        return missing().isEmpty();
    }

    /** The pages, counted from the chunk's first, that the version has and that are not here. */
    BitSet missing() {
        return pack.chunks().missing(chunk.index(), wanted);
    }

    /** Which pages of a range of the same chunk the version has and are not here. */
    BitSet missingOf(long start, long end) {
        BitSet pages = Sizes.pagesOf(start, end);
        pages.and(live);
        return pack.chunks().missing(chunk.index(), pages);
    }

    /**
     * Reads it; false if not all is here: what is in the target is worth nothing.
     *
     * @param strict whether parts of blocks are compared, too
     */
    boolean read(ByteBuffer target, boolean strict) throws IOException {
        return pack.reader().read(from, wanted, target, strict);
    }
}
