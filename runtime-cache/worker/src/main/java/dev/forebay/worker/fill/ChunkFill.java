package dev.forebay.worker.fill;

import dev.forebay.chunkstore.ByteRange;
import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.ValidBlocks;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ForebayException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Brings what a version needs of one chunk onto the disk: from another worker if one has it all,
 * else from the lake, object by object.
 *
 * <p>What the store has of the chunk already is kept and not fetched again. What can be had is
 * stored even if something else cannot.
 */
final class ChunkFill {

    private static final int CHECKSUM_BLOCK = ChunkId.CHECKSUM_BLOCK_BYTES;

    /**
     * What a fill did.
     *
     * @param failures the objects that could not be had
     */
    record Filled(long lakeBytes, long peerBytes, List<LakeFetch.Failure> failures) {}

    private final ChunkStore store;
    private final ChunkBuffers buffers;
    private final Peers peers;
    private final LakeFetch lake;
    private final LakeAccount account;
    private final Duration timeout;
    private final FillObserver observer;

    ChunkFill(
            ChunkStore store,
            ChunkBuffers buffers,
            Peers peers,
            LakeFetch lake,
            LakeAccount account,
            Duration timeout,
            FillObserver observer) {
        this.store = store;
        this.buffers = buffers;
        this.peers = peers;
        this.lake = lake;
        this.account = account;
        this.timeout = timeout;
        this.observer = observer;
    }

    /**
     * Fills a chunk; blocks until it is stored.
     *
     * @param from where the bytes begin that somebody waits for: they are fetched first
     * @param to where they end
     */
    Filled fill(Need need, int from, int to, Urgency urgency) {
        List<Need.Piece> missing = missing(need);
        if (missing.isEmpty()) {
            // Another fill ended between the asker's look at the store and this one.
            return new Filled(0, 0, List.of());
        }
        if (urgency.demanded()) {
            List<LakeFetch.Failure> hopeless = lake.knownChanged(need.bucket(), missing);
            if (hopeless.size() == missing.size()) {
                return new Filled(0, 0, hopeless);
            }
        }
        long begun = System.nanoTime();
        String outcome = "internal";
        try (ChunkBuffers.Lease lease = buffers.borrow(need.length(), urgency, timeout)) {
            Filled filled = fill(need, missing, from, to, urgency, lease.bytes());
            outcome = filled.failures().isEmpty() ? "ok" : "partial";
            return filled;
        } catch (ForebayException e) {
            outcome = e.code().name().toLowerCase(Locale.ROOT);
            throw e;
        } finally {
            observer.filled(outcome, System.nanoTime() - begun);
        }
    }

    private List<Need.Piece> missing(Need need) {
        return need.missing((from, to) -> store.holds(need.chunk(), from, to));
    }

    private Filled fill(
            Need need,
            List<Need.Piece> missing,
            int from,
            int to,
            Urgency urgency,
            ByteBuffer bytes) {
        if (fromPeers(need, missing, bytes)) {
            store(need, missing, bytes);
            return new Filled(0, sum(missing), List.of());
        }
        List<Need.Piece> fetched = new ArrayList<>(missing);
        fetched.sort(Comparator.comparing(piece -> !piece.touches(from, to)));
        List<LakeFetch.Failure> failures = lake.fetch(need.bucket(), fetched, bytes, urgency);
        failures.forEach(failure -> fetched.remove(failure.piece()));
        int fromLake = sum(fetched);
        if (fromLake > 0) {
            account.took(need.digest(), fromLake);
        }
        store(need, fetched, bytes);
        return new Filled(fromLake, 0, failures);
    }

    /** Tries the other workers for the stretch that holds all that is missing. */
    private boolean fromPeers(Need need, List<Need.Piece> missing, ByteBuffer bytes) {
        int from = missing.getFirst().from() / CHECKSUM_BLOCK * CHECKSUM_BLOCK;
        int end = Math.ceilDiv(missing.getLast().to(), CHECKSUM_BLOCK) * CHECKSUM_BLOCK;
        int to = Math.min(need.length(), end);
        if (peers.fetch(need.digest(), need.chunk(), from, bytes.slice(from, to - from))) {
            return true;
        }
        // Padding must be zeros, and nobody writes it again.
        MemorySegment.ofBuffer(bytes.slice(from, to - from)).fill((byte) 0);
        return false;
    }

    /** Stores what was fetched; the store keeps what it had besides. */
    private void store(Need need, List<Need.Piece> fetched, ByteBuffer bytes) {
        if (!fetched.isEmpty()) {
            List<ByteRange> ranges = fetched.stream().map(Need.Piece::range).toList();
            store.put(need.chunk(), bytes, ValidBlocks.of(need.length(), ranges));
        }
    }

    private static int sum(List<Need.Piece> pieces) {
        return pieces.stream().mapToInt(Need.Piece::bytes).sum();
    }
}
