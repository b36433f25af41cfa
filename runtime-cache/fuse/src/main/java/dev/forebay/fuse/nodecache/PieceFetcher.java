package dev.forebay.fuse.nodecache;

import dev.forebay.chunkstore.file.StoredChunk;
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
 * Fetches pieces of packs from the source to the disk, once for all readers, in whole blocks of 64
 * KiB. Thread-safe.
 */
final class PieceFetcher {

    /** The number of attempts to use another thread's fetch, before the caller reads alone. */
    private static final int ATTEMPTS = 8;

    /** The result of an attempt to fetch a piece. */
    private enum Outcome {
        /** The piece is on the disk. */
        STORED,
        /** The caller has the bytes, stored or not. */
        GIVEN,
        /** The piece could not be stored, and the caller does not have the bytes. */
        REFUSED
    }

    private final LocalChunks source;
    private final CacheCapacity space;
    private final boolean strict;
    private final CacheCounters counters;
    private final FullDisk full;
    private final SharedFetches flights = new SharedFetches();
    private final Buffers buffers = new Buffers(PackUnits.PIECE);

    /**
     * @param strict whether reads verify partly read blocks too
     */
    PieceFetcher(
            LocalChunks source,
            CacheCapacity space,
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
     * Reads a piece from the disk or from the source.
     *
     * @param target filled between its position and limit, which stay
     * @return false if the piece cannot be fetched in blocks, or cannot be stored while other
     *     threads need it too; the target's content is then undefined
     * @throws ForebayException if it cannot be fetched
     */
    boolean read(Piece piece, ByteBuffer target) throws IOException {
        if (piece.read(target, strict)) {
            counters.hitBytes.add(piece.bytes());
            // Not after a fetch for this read: a single pass over the data would otherwise look
            // like reuse.
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
     * Makes sure that a piece is on the disk; returns false if that is impossible.
     *
     * @throws ForebayException if it cannot be fetched
     */
    boolean bring(Piece piece) throws IOException {
        return bring(piece, null) == Outcome.STORED;
    }

    /**
     * @param target receives the bytes if this thread fetches them
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

    /** Fetches the blocks with missing pages. */
    private Outcome fetch(Piece piece, @Nullable ByteBuffer target) throws IOException {
        BitSet missing = piece.missing();
        if (missing.isEmpty()) {
            return Outcome.STORED;
        }
        PackFile pack = piece.pack();
        long first = piece.chunk().start();
        long start = first + PackUnits.blockStart(missing.nextSetBit(0));
        long end = Math.min(first + PackUnits.blockEnd(missing.length() - 1), pack.bytes());
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
            // Perhaps only a neighbour in the same block is unavailable in the lake.
            if (e.code().mayBeOfOneObject()) {
                return Outcome.REFUSED;
            }
            throw e;
        } finally {
            buffers.give(bytes);
        }
    }

    /** Stores the missing pages of some blocks if there is space. */
    private boolean store(
            Piece piece, long start, long end, ByteBuffer bytes, @Nullable StoredChunk local)
            throws IOException {
        BitSet more = piece.missingOf(start, end);
        long moreBytes = (long) more.cardinality() * PackUnits.PAGE;
        long spaceBytes = moreBytes + PackMap.RECORD_STRIDE;
        if (!space.reserve(spaceBytes)) {
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
            space.add(-spaceBytes);
        }
    }
}
