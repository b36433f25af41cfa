package dev.forebay.fuse.nodecache;

import dev.forebay.chunkstore.StoredChunk;
import dev.forebay.fuse.read.LocalChunks;
import dev.forebay.linux.Buffers;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Brings pieces of packs from the source to the disk, each once however many ask, in whole blocks
 * of 64 KiB. Safe for use by many threads.
 */
final class PieceFetcher {

    /** How often to look again after somebody else brought something, before going alone. */
    private static final int ATTEMPTS = 8;

    /** What became of a piece that was to be brought. */
    private enum Outcome {
        /** It is on the disk. */
        STORED,
        /** Who asked has its bytes, whether they could be stored or not. */
        GIVEN,
        /** It could not be stored, and who asked does not have it. */
        REFUSED
    }

    private final LocalChunks source;
    private final Space space;
    private final boolean strict;
    private final CacheCounters counters;
    private final FullDisk full;
    private final Flights flights = new Flights();
    private final Buffers buffers = new Buffers(Sizes.PIECE);

    /**
     * @param strict whether parts of blocks are compared, too, when they are read
     */
    PieceFetcher(
            LocalChunks source,
            Space space,
            boolean strict,
            CacheCounters counters,
            FullDisk full) {
        this.source = source;
        this.space = space;
        this.strict = strict;
        this.counters = counters;
        this.full = full;
    }

    /**
     * Reads a piece, from the disk or from where it comes from.
     *
     * @param target filled between its position and limit, which stay
     * @return false if it cannot be had in blocks, or not be stored while others want it, too: what
     *     is in the target is worth nothing
     * @throws ForebayException if it cannot be had
     */
    boolean read(Piece piece, ByteBuffer target) throws IOException {
        if (piece.read(target, strict)) {
            counters.hitBytes.add(piece.bytes());
            // Not when it was fetched for this: then one pass would look like use.
            piece.pack().chunks().touch(piece.chunk().index());
            return true;
        }
        if (source.readHere(piece.chunk(), piece.from(), target.slice())) {
            return true;
        }
        counters.missBytes.add(piece.bytes());
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Outcome outcome = bring(piece, target);
            if (outcome != Outcome.STORED) {
                return outcome == Outcome.GIVEN;
            }
            if (piece.read(target, strict)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Makes a piece be on the disk; false if that cannot be.
     *
     * @throws ForebayException if it cannot be had
     */
    boolean bring(Piece piece) throws IOException {
        return bring(piece, null) == Outcome.STORED;
    }

    /**
     * @param target where to put the bytes if this thread is who fetches them
     */
    private Outcome bring(Piece piece, @Nullable ByteBuffer target) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS && !piece.isHere(); attempt++) {
            Optional<Outcome> outcome =
                    flights.lead(
                            piece.manifest(),
                            piece.pack().id(),
                            piece.from(),
                            () -> fetch(piece, target));
            if (outcome.isPresent() && outcome.get() != Outcome.STORED) {
                return outcome.get();
            }
        }
        return piece.isHere() ? Outcome.STORED : Outcome.REFUSED;
    }

    /** Fetches the blocks with pages that are missing. */
    private Outcome fetch(Piece piece, @Nullable ByteBuffer target) throws IOException {
        BitSet missing = piece.missing();
        if (missing.isEmpty()) {
            return Outcome.STORED;
        }
        PackFile pack = piece.pack();
        long first = piece.chunk().start();
        long start = first + Sizes.blockStart(missing.nextSetBit(0));
        long end = Math.min(first + Sizes.blockEnd(missing.length() - 1), pack.bytes());
        ByteBuffer bytes = buffers.take();
        try (StoredChunk local = source.open(piece.chunk(), start, end).orElse(null)) {
            bytes.limit((int) (end - start));
            boolean here = local != null && source.read(local, start, bytes);
            if (!here) {
                source.read(piece.manifest(), pack.id(), start, end, bytes.rewind());
            }
            boolean stored = store(piece, start, end, bytes.flip(), here ? local : null);
            if (target == null || piece.from() < start || end < piece.to()) {
                return stored ? Outcome.STORED : Outcome.REFUSED;
            }
            target.put(target.position(), bytes, (int) (piece.from() - start), (int) piece.bytes());
            return Outcome.GIVEN;
        } catch (ForebayException e) {
            // Perhaps it is a neighbour in the same block that the lake does not give any more.
            if (e.code().mayBeOfOneObject()) {
                return Outcome.REFUSED;
            }
            throw e;
        } finally {
            buffers.give(bytes);
        }
    }

    /** Stores what is new of some blocks, if there is room. */
    private boolean store(
            Piece piece, long start, long end, ByteBuffer bytes, @Nullable StoredChunk local)
            throws IOException {
        BitSet more = piece.missingOf(start, end);
        long moreBytes = (long) more.cardinality() * Sizes.PAGE;
        long room = moreBytes + PackMap.RECORD_STRIDE;
        if (!space.reserve(room)) {
            counters.refused.increment();
            return false;
        }
        try {
            piece.pack().writer().store(start, more, bytes, local);
            counters.storedBytes.add(moreBytes);
            return true;
        } catch (IOException e) {
            if (!ErrorNumber.isFullDisk(e)) {
                throw e;
            }
            full.refused(e);
            boolean _ = space.evictOne();
            return false;
        } finally {
            space.add(-room);
        }
    }
}
