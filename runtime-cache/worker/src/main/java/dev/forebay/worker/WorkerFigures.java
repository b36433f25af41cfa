package dev.forebay.worker;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.image.ImageStore;
import dev.forebay.membership.RegionState;
import dev.forebay.model.PackId;
import dev.forebay.worker.fill.ChunkAccess;
import dev.forebay.worker.fill.LakePace;
import dev.forebay.worker.retention.OrphanSweep;
import java.util.Optional;
import java.util.function.Predicate;

/** Registers the metrics that a worker's parts keep themselves and that are read on each scrape. */
final class WorkerFigures {

    private final WorkerMetrics metrics;

    WorkerFigures(WorkerMetrics metrics) {
        this.metrics = metrics;
    }

    void store(ChunkStore store, Predicate<PackId> isProtected) {
        metrics.gauge(
                "store.capacity.bytes",
                "What chunks may take",
                () -> store.stats().capacityBytes());
        metrics.gauge("store.used.bytes", "What chunks take", () -> store.stats().usedBytes());
        metrics.gauge("store.chunks", "Chunks on disk", () -> store.stats().chunks());
        metrics.gauge(
                "store.protected.chunks",
                "Chunks that pins protect",
                () -> protectedChunks(store, isProtected));
        metrics.count(
                "store.evicted.chunks", "Chunks evicted for room", () -> store.stats().evicted());
        metrics.count(
                "store.damaged.chunks",
                "Damage found in chunks on disk",
                () -> store.stats().damaged());
        metrics.count(
                "store.disk.full",
                "Writes that found the disk full",
                () -> store.stats().diskFull());
        metrics.count(
                "store.disk.errors", "Failures of the disk", () -> store.stats().diskErrors());
        metrics.gauge("store.disks", "Disks in use", () -> store.stats().disks());
        metrics.gauge(
                "store.failed.disks",
                "Disks that were taken out",
                () -> store.stats().failedDisks());
    }

    private static long protectedChunks(ChunkStore store, Predicate<PackId> isProtected) {
        long sum = 0;
        for (PackId pack : store.packs()) {
            sum += isProtected.test(pack) ? store.chunks(pack).size() : 0;
        }
        return sum;
    }

    void repairs(Repairs repairs, Optional<Scrubber> scrubber, Optional<OrphanSweep> orphans) {
        metrics.count(
                "store.repaired.chunks",
                "Chunks that the disk had lost and that were fetched again",
                repairs::repaired);
        scrubber.ifPresent(
                scrub -> {
                    metrics.count("store.scrubbed.bytes", "Bytes compared at rest", scrub::bytes);
                    metrics.count(
                            "store.scrub.rounds", "Times all chunks were compared", scrub::rounds);
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
                "Requests to the lake that this worker allows itself in a second",
                pace::perSecond);
        metrics.count("lake.throttled", "Requests that the lake throttled", pace::throttled);
        metrics.gauge("etcd.in.touch", "1 if etcd answers", () -> state.connected() ? 1 : 0);
        metrics.gauge(
                "etcd.rows.not.understood",
                "Rows of etcd that a later release wrote",
                state::rowsNotUnderstood);
    }
}
