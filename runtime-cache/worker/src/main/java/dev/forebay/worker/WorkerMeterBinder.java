package dev.forebay.worker;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.image.ImageStore;
import dev.forebay.membership.RegionState;
import dev.forebay.model.PackId;
import dev.forebay.worker.fill.ChunkAccess;
import dev.forebay.worker.fill.LakePace;
import dev.forebay.worker.retention.OrphanChunkCollector;
import java.util.Optional;
import java.util.function.Predicate;

/** Registers the metrics that a worker's parts keep themselves and that are read on each scrape. */
final class WorkerMeterBinder {

    private final WorkerMetrics metrics;

    WorkerMeterBinder(WorkerMetrics metrics) {
        this.metrics = metrics;
    }

    void store(ChunkStore store, Predicate<PackId> isProtected) {
        metrics.gauge(
                "store.capacity.bytes", "Space for chunks", () -> store.stats().capacityBytes());
        metrics.gauge("store.used.bytes", "Space used by chunks", () -> store.stats().usedBytes());
        metrics.gauge("store.chunks", "Chunks on disk", () -> store.stats().chunks());
        metrics.gauge(
                "store.protected.chunks",
                "Chunks that pins protect",
                () -> protectedChunks(store, isProtected));
        metrics.count(
                "store.evicted.chunks",
                "Chunks evicted to free space",
                () -> store.stats().evicted());
        metrics.count(
                "store.damaged.chunks",
                "Damaged chunks found on disk",
                () -> store.stats().damaged());
        metrics.count(
                "store.disk.full",
                "Writes that found the disk full",
                () -> store.stats().diskFull());
        metrics.count(
                "store.disk.errors", "Failed disk operations", () -> store.stats().diskErrors());
        metrics.gauge("store.disks", "Disks in use", () -> store.stats().disks());
        metrics.gauge("store.failed.disks", "Failed disks", () -> store.stats().failedDisks());
    }

    private static long protectedChunks(ChunkStore store, Predicate<PackId> isProtected) {
        long sum = 0;
        for (PackId pack : store.packs()) {
            sum += isProtected.test(pack) ? store.chunks(pack).size() : 0;
        }
        return sum;
    }

    void repairs(
            Repairs repairs, Optional<Scrubber> scrubber, Optional<OrphanChunkCollector> orphans) {
        metrics.count(
                "store.repaired.chunks",
                "Lost or damaged chunks that were fetched again",
                repairs::repaired);
        scrubber.ifPresent(
                scrub -> {
                    metrics.count(
                            "store.scrubbed.bytes",
                            "Bytes on disk that were compared with " + "their checksums",
                            scrub::bytes);
                    metrics.count(
                            "store.scrub.rounds", "Completed scrubs of all chunks", scrub::rounds);
                });
        orphans.ifPresent(
                sweep ->
                        metrics.count(
                                "store.orphaned.chunks",
                                "Chunks removed because no mounted version refers to them",
                                () -> sweep.total().chunks()));
    }

    void fills(ImageStore images, ChunkAccess chunks) {
        metrics.count("images.written", "Images written", images::written);
        metrics.gauge("fills.under.way", "Fills running or queued", chunks::fillsUnderWay);
    }

    void surroundings(LakePace pace, RegionState state) {
        metrics.gauge(
                "lake.pace",
                "Lake requests per second that this worker allows itself",
                pace::perSecond);
        metrics.count("lake.throttled", "Requests that the lake throttled", pace::throttled);
        metrics.gauge("etcd.in.touch", "1 if etcd answers", () -> state.connected() ? 1 : 0);
        metrics.gauge(
                "etcd.rows.not.understood",
                "Rows of etcd that this release cannot read, because a later release wrote them",
                state::rowsNotUnderstood);
    }
}
