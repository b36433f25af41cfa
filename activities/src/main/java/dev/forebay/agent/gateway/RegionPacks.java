package dev.forebay.agent.gateway;

import dev.forebay.agent.config.AgentConfig;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionState;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.DamageReports;
import dev.forebay.transfer.WorkerClient;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Reads ranges of packs from the region's workers, for other regions. It reads a bounded number of
 * ranges at once, each of at most a chunk, and never fetches. Calls block. Safe for use by many
 * threads.
 */
@Singleton
class RegionPacks {

    /** How many workers to ask for a range: its owner, then previous owners. */
    private static final int ATTEMPTS = 3;

    private final RegionState region;
    private final WorkerClient client;
    private final DamageReports damage;
    private final Semaphore permits;
    private final long queueTimeoutMillis;
    private final MeterRegistry metrics;

    RegionPacks(
            RegionState region, WorkerClient client, AgentConfig config, MeterRegistry metrics) {
        this.region = region;
        this.client = client;
        this.damage = new DamageReports(client);
        this.permits = new Semaphore(config.gateway().reads());
        this.queueTimeoutMillis = config.gateway().queueTimeout().toMillis();
        this.metrics = metrics;
    }

    /** Verified bytes. The caller must close them when it no longer needs them. */
    final class Held implements AutoCloseable {

        private final byte[] bytes;
        private final AtomicBoolean closed = new AtomicBoolean();

        private Held(byte[] bytes) {
            this.bytes = bytes;
        }

        byte[] bytes() {
            return bytes;
        }

        /** Frees the slot for the next read. Idempotent. */
        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                permits.release();
            }
        }
    }

    /**
     * Reads bytes {@code [from, to)} of a pack. Empty if no worker holds all of them, or if too
     * many other reads run.
     *
     * @param to at most the end of the chunk that {@code from} is in
     * @throws ForebayException {@code INVALID_ARGUMENT} for another range, {@code NOT_FOUND} if no
     *     version with this manifest is served here
     */
    Optional<Held> read(Digest manifest, PackId pack, long from, long to) {
        ChunkId chunk = ChunkId.at(pack, from);
        if (to <= from || to > chunk.start() + ChunkId.CHUNK_BYTES) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Range is [%d, %d); it must contain a byte and end in the chunk in which it begins"
                            .formatted(from, to));
        }
        RegionView now = region.view();
        requireServed(manifest, now);
        if (!isTurn()) {
            count("busy", 0);
            return Optional.empty();
        }
        Held held = new Held(new byte[(int) (to - from)]);
        boolean read = false;
        try {
            read =
                    candidates(chunk, now).stream()
                            .anyMatch(worker -> reads(worker, manifest, chunk, from, held));
            count(read ? "ok" : "miss", read ? held.bytes.length : 0);
            return read ? Optional.of(held) : Optional.empty();
        } finally {
            if (!read) {
                held.close();
            }
        }
    }

    private static void requireServed(Digest manifest, RegionView now) {
        if (now.mounts().stream()
                .filter(mount -> mount.state() != Mount.State.EVICTING)
                .noneMatch(mount -> mount.manifest().digest().equals(manifest))) {
            throw new ForebayException(
                    ErrorCode.NOT_FOUND,
                    "no version with manifest %s is mounted in this region".formatted(manifest));
        }
    }

    private static List<WorkerNode> candidates(ChunkId chunk, RegionView now) {
        return Placement.rank(chunk, now.workers()).stream()
                .filter(worker -> now.live().contains(worker.id()))
                .limit(ATTEMPTS)
                .toList();
    }

    private boolean reads(WorkerNode worker, Digest manifest, ChunkId chunk, long from, Held held) {
        ByteBuffer target = ByteBuffer.wrap(held.bytes);
        long to = from + target.remaining();
        try {
            return client.readIfCached(worker, manifest, chunk.pack(), from, to, target).isPresent()
                    && !target.hasRemaining();
        } catch (ForebayException e) {
            // Another worker may have the bytes, and the client can still read the lake.
            damage.consider(worker, manifest, chunk, e);
            return false;
        }
    }

    private boolean isTurn() {
        try {
            return permits.tryAcquire(queueTimeoutMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void count(String outcome, long bytes) {
        Counter.builder("forebay.agent.gateway.reads")
                .description("Reads of packs by other regions, by result")
                .tag("outcome", outcome)
                .register(metrics)
                .increment();
        Counter.builder("forebay.agent.gateway.bytes")
                .description("Bytes of packs sent to other regions")
                .register(metrics)
                .increment((double) bytes);
    }
}
