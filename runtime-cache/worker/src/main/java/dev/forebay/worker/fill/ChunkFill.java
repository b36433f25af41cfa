package dev.forebay.worker.fill;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.file.ChunkRange;
import dev.forebay.chunkstore.file.ValidBlocks;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Sibling;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Fills what a version needs of one chunk. The sources, in order: another worker that has all of
 * it, a sibling region that has all of it, and the lake, object by object. A sibling region is
 * asked only if the version may be filled from there.
 *
 * <p>From the lake, the bytes that a reader waits for are requested and stored first, and the rest
 * of the chunk follows. Bytes that the store already has are kept and not fetched again. If some
 * objects fail, the others are stored.
 */
public final class ChunkFill {

    private static final int CHECKSUM_BLOCK = ChunkId.CHECKSUM_BLOCK_BYTES;
    private static final int ALIGNMENT = ChunkId.ALIGNMENT_BYTES;

    /**
     * The result of a fill.
     *
     * @param failures the objects that could not be fetched
     */
    record Filled(
            long lakeBytes, long peerBytes, long siblingBytes, List<LakeFetch.Failure> failures) {

        private static final Filled NOTHING = new Filled(0, 0, 0, List.of());

        private static Filled failed(List<LakeFetch.Failure> failures) {
            return new Filled(0, 0, 0, failures);
        }
    }

    private final ChunkStore store;
    private final ChunkBuffers own;
    private final ChunkBuffers others;
    private final Peers peers;
    private final Siblings siblings;
    private final LakeFetch lake;
    private final FillAccount account;
    private final Duration timeout;
    private final FillObserver observer;

    /**
     * @param own buffers for chunks that this worker owns
     * @param others buffers for chunks of other owners, which may have to fetch them first. With
     *     one pool, two workers that wait for each other's chunks could deadlock.
     */
    public ChunkFill(
            ChunkStore store,
            ChunkBuffers own,
            ChunkBuffers others,
            Peers peers,
            Siblings siblings,
            LakeFetch lake,
            FillAccount account,
            Duration timeout,
            FillObserver observer) {
        this.store = store;
        this.own = own;
        this.others = others;
        this.peers = peers;
        this.siblings = siblings;
        this.lake = lake;
        this.account = account;
        this.timeout = timeout;
        this.observer = observer;
    }

    /**
     * Fills a chunk. Blocks until it is stored.
     *
     * @param from start of the bytes that a reader waits for, which are fetched first
     * @param to end of these bytes, exclusive
     * @param requireWanted throws if nothing may be fetched any more; called once a buffer is free
     * @param partStored called when these bytes are stored while others are still missing
     */
    Filled fill(
            ChunkContents need,
            int from,
            int to,
            Urgency urgency,
            Runnable requireWanted,
            Runnable partStored) {
        List<ChunkContents.Piece> missing = missing(need);
        if (missing.isEmpty()) {
            // Another fill ended after the caller had checked the store.
            return Filled.NOTHING;
        }
        if (urgency.demanded()) {
            List<LakeFetch.Failure> hopeless = lake.knownChanged(need.bucket(), missing);
            if (hopeless.size() == missing.size()) {
                return Filled.failed(hopeless);
            }
        }
        long begun = System.nanoTime();
        String outcome = "internal";
        ChunkBuffers buffers = peers.othersOwn(need.chunk()) ? others : own;
        try (ChunkBuffers.Lease lease = buffers.borrow(need.length(), urgency, timeout)) {
            requireWanted.run();
            Filled filled = fill(need, missing, from, to, urgency, lease.bytes(), partStored);
            outcome = filled.failures().isEmpty() ? "ok" : "partial";
            return filled;
        } catch (ForebayException e) {
            outcome = e.code().name().toLowerCase(Locale.ROOT);
            throw e;
        } finally {
            observer.filled(outcome, System.nanoTime() - begun);
        }
    }

    private List<ChunkContents.Piece> missing(ChunkContents need) {
        return need.missing((from, to) -> store.holds(need.chunk(), from, to));
    }

    private Filled fill(
            ChunkContents need,
            List<ChunkContents.Piece> missing,
            int from,
            int to,
            Urgency urgency,
            ByteBuffer bytes,
            Runnable partStored) {
        Optional<Filled> fromOthers = fillFromOthers(need, missing, bytes, urgency);
        if (fromOthers.isPresent()) {
            store(need, missing, bytes);
            return fromOthers.get();
        }
        clearPadding(need, missing, bytes);
        return fromLake(need, FetchOrder.of(missing, from, to), bytes, urgency, partStored);
    }

    /** Fetches and stores pieces. Those of the first stage are stored as soon as they arrive. */
    private Filled fromLake(
            ChunkContents need,
            FetchOrder stages,
            ByteBuffer bytes,
            Urgency urgency,
            Runnable partStored) {
        // Closed before the buffer returns to the pool, because readers of the lake write into it.
        try (LakeFetch.Fetch fetch =
                lake.begin(
                        need.bucket(), stages, bytes, urgency, account.lakeReads(need.digest()))) {
            int paid = 0;
            if (!stages.rest().isEmpty()) {
                List<LakeFetch.Failure> failures = fetch.awaitFirst();
                List<ChunkContents.Piece> first = without(failures, stages.first());
                paid = pay(need, first, 0);
                store(need, first, bytes);
                if (failures.stream().noneMatch(LakeFetch.Failure::isTrouble)) {
                    partStored.run();
                }
            }
            List<LakeFetch.Failure> failures = fetch.await();
            List<ChunkContents.Piece> fetched = without(failures, stages.all());
            paid = pay(need, fetched, paid);
            store(need, fetched, bytes);
            return new Filled(paid, 0, 0, failures);
        }
    }

    /**
     * Records lake bytes in the account before they are stored. A crash in between must not make
     * them free.
     */
    private int pay(ChunkContents need, List<ChunkContents.Piece> fetched, int paid) {
        int bytes = sum(fetched);
        if (bytes > paid) {
            account.took(need.digest(), bytes - paid);
        }
        return bytes;
    }

    private static List<ChunkContents.Piece> without(
            List<LakeFetch.Failure> failures, List<ChunkContents.Piece> pieces) {
        List<ChunkContents.Piece> fetched = new ArrayList<>(pieces);
        failures.forEach(failure -> fetched.remove(failure.piece()));
        return fetched;
    }

    /** Tries other workers, then sibling regions, for one range that covers all missing pieces. */
    private Optional<Filled> fillFromOthers(
            ChunkContents need,
            List<ChunkContents.Piece> missing,
            ByteBuffer bytes,
            Urgency urgency) {
        int from = missing.getFirst().from() / CHECKSUM_BLOCK * CHECKSUM_BLOCK;
        int end = Math.ceilDiv(missing.getLast().to(), CHECKSUM_BLOCK) * CHECKSUM_BLOCK;
        int to = Math.min(need.length(), end);
        ByteBuffer stretch = bytes.slice(from, to - from);
        int kept = sum(missing);
        if (peers.fetch(need.digest(), need.chunk(), from, stretch.slice())) {
            account.tookFromPeer(need.digest(), to - from);
            return Optional.of(new Filled(0, kept, 0, List.of()));
        }
        Optional<Sibling> sibling =
                siblings.fetch(need.digest(), need.chunk(), from, stretch.slice(), urgency);
        if (sibling.isPresent()) {
            account.tookFromSibling(need.digest(), sibling.get(), to - from, kept);
            return Optional.of(new Filled(0, 0, kept, List.of()));
        }
        return Optional.empty();
    }

    /**
     * Clears the padding after each object, up to the next 4 KiB boundary. The padding is stored
     * with the object and no source writes it. Without this it would contain old bytes of the
     * buffer, or those of a worker whose answer was rejected.
     */
    private static void clearPadding(
            ChunkContents need, List<ChunkContents.Piece> pieces, ByteBuffer bytes) {
        MemorySegment chunk = MemorySegment.ofBuffer(bytes);
        for (ChunkContents.Piece piece : pieces) {
            int aligned = Math.ceilDiv(piece.to(), ALIGNMENT) * ALIGNMENT;
            int end = Math.min(aligned, need.length());
            chunk.asSlice(piece.to(), end - piece.to()).fill((byte) 0);
        }
    }

    /** Stores the fetched pieces. The store keeps other bytes of the chunk that it has. */
    private void store(ChunkContents need, List<ChunkContents.Piece> fetched, ByteBuffer bytes) {
        if (!fetched.isEmpty()) {
            List<ChunkRange> ranges = fetched.stream().map(ChunkContents.Piece::range).toList();
            store.put(need.chunk(), bytes, ValidBlocks.of(need.length(), ranges));
        }
    }

    private static int sum(List<ChunkContents.Piece> pieces) {
        return pieces.stream().mapToInt(ChunkContents.Piece::bytes).sum();
    }
}
