package dev.forebay.worker.fill;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.lake.LakeReader;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.Manifest;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.transfer.FillAnswer;
import dev.forebay.transfer.Source;
import dev.forebay.transfer.VerifyAnswer.Verdict;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens chunks for readers and prewarms, and fills them first if bytes are missing.
 *
 * <p>Methods block. Safe for use by many threads.
 */
public final class ChunkAccess {

    private static final Logger LOG = LoggerFactory.getLogger(ChunkAccess.class);

    /**
     * Gives up on a chunk that is filled and evicted again this many times before it can be read.
     */
    private static final int ATTEMPTS = 3;

    private final ChunkStore store;
    private final ChunkFill fill;
    private final FillsInFlight<ChunkFill.Filled> flights = new FillsInFlight<>();
    private final Duration timeout;
    private final BooleanSupplier behind;
    private final ReadAhead ahead;

    /**
     * @param behind whether the region may have changed while this process was stopped; if so,
     *     nothing is fetched, because another worker may have fetched it
     * @param ahead receives the reads that find bytes missing
     */
    public ChunkAccess(
            ChunkStore store,
            Peers peers,
            Siblings siblings,
            LakeReader lake,
            LakePace pace,
            FillAccount account,
            FillLimits limits,
            FillObserver observer,
            BooleanSupplier behind,
            ReadAhead ahead) {
        this.ahead = ahead;
        this.behind = behind;
        this.store = store;
        this.timeout = limits.timeout();
        // Enough for all fills that can ask at once: the number of buffers bounds the queue.
        Permits budget =
                new Permits(
                        "a request to the lake (forebay.worker.fill.lake-requests)",
                        limits.lakeRequests(),
                        limits.buffers() * limits.lakeRequestsPerChunk());
        LakeFetch fetch =
                new LakeFetch(
                        lake,
                        pace,
                        budget,
                        limits.lakeRequestsPerChunk(),
                        timeout,
                        new ChangedObjects(limits.changedMemory(), limits.changedMemoryObjects()),
                        observer,
                        Thread.ofVirtual().name("lake-fetch").factory());
        ChunkBuffers own = new ChunkBuffers(limits.concurrency(), limits.queue());
        ChunkBuffers others = new ChunkBuffers(limits.othersConcurrency(), limits.queue());
        this.fill =
                new ChunkFill(
                        store, own, others, peers, siblings, fetch, account, timeout, observer);
    }

    /**
     * The version that a chunk is read or filled for.
     *
     * @param mayFill whether missing bytes may be fetched; checked when a fill starts and again
     *     when it leaves the queue
     */
    public record Version(Digest digest, Manifest manifest, BooleanSupplier mayFill) {}

    /** A chunk that holds all requested bytes. The caller closes it. */
    public record Present(StoredChunk chunk, Source source) {}

    /**
     * Returns the chunk if it holds everything that the version has in bytes {@code [from, to)}.
     * The chunk then has these bytes in memory.
     *
     * @param length the chunk's length in bytes
     * @param from first byte, relative to the start of the chunk, like {@code to}
     */
    public Optional<StoredChunk> cached(
            Version version, ChunkId chunk, int length, int from, int to) {
        Optional<StoredChunk> stored = store.find(chunk, from, to);
        if (stored.isEmpty()) {
            return stored;
        }
        boolean given = false;
        try {
            boolean enough =
                    stored.get().holds(from, to)
                            || need(version, chunk, length)
                                    .satisfied(stored.get()::holds, from, to);
            if (!enough) {
                return Optional.empty();
            }
            if (ahead.firstRead(chunk)) {
                fillAhead(version, chunk, length, from, to);
            }
            given = true;
            return stored;
        } finally {
            if (!given) {
                stored.get().close();
            }
        }
    }

    /**
     * Starts the next fill ahead. A failure is only logged, because the bytes that this read needs
     * are present.
     */
    private void fillAhead(Version version, ChunkId chunk, int length, int from, int to) {
        try {
            need(version, chunk, length)
                    .fileGoingOn(from, to)
                    .ifPresent(end -> ahead.reached(version.digest(), chunk, end));
        } catch (ForebayException e) {
            LOG.debug("Cannot read ahead of {}", chunk, e);
        }
    }

    /** Returns whether any byte of a chunk is present. Does not count as use. */
    public boolean hasSome(ChunkId chunk) {
        return store.has(chunk);
    }

    /**
     * Returns whether everything that the version has in a chunk is present. Does not count as use.
     */
    public boolean complete(Version version, ChunkRef ref) {
        // Checks the store first: most chunks of a large version are elsewhere, and ChunkContents
        // reads each
        // object.
        return store.has(ref.chunk())
                && (store.holds(ref.chunk(), 0, ref.length())
                        || complete(need(version, ref.chunk(), ref.length())));
    }

    /**
     * Opens a chunk that holds everything that the version has in bytes {@code [from, to)}. Fills
     * it first if bytes are missing.
     *
     * @throws ForebayException if these bytes cannot be fetched; failures of other bytes of the
     *     chunk do not matter
     */
    public Present open(Version version, ChunkId chunk, int length, int from, int to) {
        Source source = Source.CACHE;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Optional<StoredChunk> stored = cached(version, chunk, length, from, to);
            if (stored.isPresent()) {
                return new Present(stored.get(), source);
            }
            ChunkContents need = need(version, chunk, length);
            FillsInFlight.Landed<ChunkFill.Filled> landed =
                    join(version, need, from, to, Urgency.demand(), true);
            Optional<ChunkFill.Filled> filled = landed.result();
            // Only now: earlier it would compete with the bytes that this reader waits for.
            if (landed.begun()) {
                need.fileGoingOn(from, to)
                        .ifPresent(end -> ahead.missed(version.digest(), chunk, end));
            }
            if (filled.isEmpty()) {
                stored = cached(version, chunk, length, from, to);
                if (stored.isPresent()) {
                    return new Present(stored.get(), Source.LAKE);
                }
                // Another reader's part was stored, not the bytes of this read: wait for the whole
                // fill.
                filled = join(version, need, from, to, Urgency.demand(), false).result();
            }
            throwIfFailed(filled.orElseThrow(), from, to);
            source = source(filled.orElseThrow());
        }
        throw evicted(chunk);
    }

    /**
     * Fills everything that the version has in a chunk, at prefetch priority.
     *
     * @throws ForebayException if an object cannot be fetched; the rest is stored
     */
    public FillAnswer fill(Version version, ChunkId chunk, int length) {
        return fill(version, need(version, chunk, length));
    }

    /**
     * Fills a chunk ahead of a reader. If the chunk is already complete, its first read starts no
     * further fill ahead: reads of present bytes need none.
     */
    public FillAnswer fillAhead(Version version, ChunkId chunk, int length) {
        ChunkContents need = need(version, chunk, length);
        if (!complete(need)) {
            ahead.filledAhead(chunk);
        }
        return fill(version, need);
    }

    private FillAnswer fill(Version version, ChunkContents need) {
        long lakeBytes = 0;
        long peerBytes = 0;
        long siblingBytes = 0;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (complete(need)) {
                return new FillAnswer(need.liveBytes(), lakeBytes, peerBytes, siblingBytes);
            }
            FillsInFlight.Landed<ChunkFill.Filled> landed =
                    join(version, need, 0, need.length(), Urgency.prefetch(), false);
            ChunkFill.Filled filled = landed.result().orElseThrow();
            throwIfFailed(filled, 0, need.length());
            lakeBytes += landed.begun() ? filled.lakeBytes() : 0;
            peerBytes += landed.begun() ? filled.peerBytes() : 0;
            siblingBytes += landed.begun() ? filled.siblingBytes() : 0;
        }
        throw evicted(need.chunk());
    }

    /**
     * Reads a chunk from disk and compares all checksums. Drops a damaged chunk, so that no reader
     * gets it, and fills it again.
     *
     * @throws ForebayException if the fill fails; the damaged chunk is gone in any case
     */
    public Verdict verify(Version version, ChunkId chunk, int length) {
        return switch (dropIfDamaged(chunk)) {
            case INTACT -> Verdict.INTACT;
            case ABSENT -> Verdict.ABSENT;
            case DROPPED -> {
                fill(version, chunk, length);
                yield Verdict.REPAIRED;
            }
        };
    }

    /** Works like {@link #verify}, but does not fill. */
    public ChunkStore.Verdict dropIfDamaged(ChunkId chunk) {
        ChunkStore.Verdict verdict = store.verify(chunk);
        if (verdict == ChunkStore.Verdict.DROPPED) {
            LOG.warn(
                    "Dropping chunk {}, because it was damaged on disk or its file was missing",
                    chunk);
        }
        return verdict;
    }

    /** Waits for the fills of these packs that are running or queued now. */
    public void awaitFills(Predicate<PackId> packs) {
        flights.awaitLanded(chunk -> packs.test(chunk.pack()), timeout);
    }

    /** Returns the number of fills that are running or queued. */
    public int fillsUnderWay() {
        return flights.count();
    }

    private ChunkContents need(Version version, ChunkId chunk, int length) {
        return ChunkContents.of(version.digest(), version.manifest(), chunk, length);
    }

    private boolean complete(ChunkContents need) {
        return need.missing((from, to) -> store.holds(need.chunk(), from, to)).isEmpty();
    }

    private FillsInFlight.Landed<ChunkFill.Filled> join(
            Version version,
            ChunkContents need,
            int from,
            int to,
            Urgency urgency,
            boolean partWillDo) {
        while (true) {
            Optional<FillsInFlight.Landed<ChunkFill.Filled>> landed =
                    flights.join(
                            need.chunk(),
                            version.digest(),
                            urgency,
                            partWillDo,
                            timeout,
                            (shared, part) -> begin(version, need, from, to, shared, part));
            if (landed.isPresent()) {
                return landed.get();
            }
        }
    }

    /**
     * Checks the permission to fill after the fill is visible to {@link #awaitFills}. A caller that
     * forbids fills and then awaits them therefore finds none afterwards.
     */
    private ChunkFill.Filled begin(
            Version version,
            ChunkContents need,
            int from,
            int to,
            Urgency urgency,
            Runnable partStored) {
        requireWanted(version, need);
        return fill.fill(need, from, to, urgency, () -> requireWanted(version, need), partStored);
    }

    private void requireWanted(Version version, ChunkContents need) {
        if (behind.getAsBoolean()) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "this worker was suspended, and fetches nothing until it has its region's "
                            + "current state");
        }
        if (!version.mayFill().getAsBoolean()) {
            throw new ForebayException(
                    ErrorCode.EVICTING,
                    "the version with manifest %s is being evicted, and this worker does not have all of chunk %s"
                            .formatted(version.digest(), need.chunk()));
        }
    }

    private static void throwIfFailed(ChunkFill.Filled filled, int from, int to) {
        for (LakeFetch.Failure failure : filled.failures()) {
            if (failure.piece().touches(from, to)) {
                ForebayException cause = failure.cause();
                throw new ForebayException(cause.code(), String.valueOf(cause.getMessage()), cause);
            }
        }
    }

    private static Source source(ChunkFill.Filled filled) {
        if (filled.lakeBytes() > 0) {
            return Source.LAKE;
        }
        if (filled.siblingBytes() > 0) {
            return Source.SIBLING;
        }
        return filled.peerBytes() > 0 ? Source.PEER : Source.CACHE;
    }

    private static ForebayException evicted(ChunkId chunk) {
        return new ForebayException(
                ErrorCode.CAPACITY_EXCEEDED,
                "chunk %s was evicted %d times before it was read: raise forebay.worker.capacity"
                        .formatted(chunk, ATTEMPTS));
    }
}
