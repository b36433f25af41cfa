package dev.forebay.agent;

import dev.forebay.membership.RegionState;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.WorkerClient;
import jakarta.inject.Singleton;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Reads what the region's workers hold, a bounded number of ranges at once, each of which takes a
 * chunk's memory at most. Calls block; safe for use by many threads.
 */
@Singleton
class RegionPacks {

    /** How many workers are asked for a range: its owner, and who had it before. */
    private static final int ATTEMPTS = 3;

    private final RegionState region;
    private final WorkerClient client;
    private final Semaphore turns;
    private final long patienceMillis;

    RegionPacks(RegionState region, WorkerClient client, AgentConfig config) {
        this.region = region;
        this.client = client;
        this.turns = new Semaphore(config.gateway().reads());
        this.patienceMillis = config.gateway().patience().toMillis();
    }

    /**
     * Reads bytes {@code [from, to)} of a pack, all of them verified, if one worker holds them.
     *
     * @param to at most the end of the chunk that {@code from} is in
     * @throws ForebayException {@code INVALID_ARGUMENT} for another range, {@code UNAVAILABLE} if
     *     too many others read
     */
    Optional<ByteBuffer> read(Digest manifest, PackId pack, long from, long to) {
        ChunkId chunk = ChunkId.at(pack, from);
        if (to <= from || to > chunk.start() + ChunkId.CHUNK_BYTES) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Range is [%d, %d); it must hold a byte and end in the chunk it begins in"
                            .formatted(from, to));
        }
        awaitTurn();
        try {
            ByteBuffer target = ByteBuffer.allocate((int) (to - from));
            for (WorkerNode worker : candidates(chunk)) {
                if (reads(worker, manifest, pack, from, to, target.clear())) {
                    return Optional.of(target.flip());
                }
            }
            return Optional.empty();
        } finally {
            turns.release();
        }
    }

    private List<WorkerNode> candidates(ChunkId chunk) {
        RegionView now = region.view();
        return Placement.rank(chunk, now.workers()).stream()
                .filter(worker -> now.live().contains(worker.id()))
                .limit(ATTEMPTS)
                .toList();
    }

    private boolean reads(
            WorkerNode worker, Digest manifest, PackId pack, long from, long to, ByteBuffer target) {
        try {
            return client.readIfCached(worker, manifest, pack, from, to, target).isPresent()
                    && !target.hasRemaining();
        } catch (ForebayException e) {
            // Another one may have it; who asks can still turn to the lake.
            return false;
        }
    }

    private void awaitTurn() {
        try {
            if (turns.tryAcquire(patienceMillis, TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new ForebayException(
                ErrorCode.UNAVAILABLE, "too many ranges are being read (forebay.gateway.reads)");
    }
}
