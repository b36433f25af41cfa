package dev.forebay.fuse;

import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.linux.Readahead;
import dev.forebay.membership.RegionState;

/** Registers metrics whose values other parts keep; they are read at each scrape. */
final class PodMeterBinder {

    private final PodMetrics metrics;

    PodMeterBinder(PodMetrics metrics) {
        this.metrics = metrics;
    }

    void transport(Transport transport) {
        metrics.gauge(
                "forebay_fuse_serving",
                "1 if this process serves requests, 0 if it stands by",
                () -> transport.serving() ? 1 : 0);
        metrics.gauge(
                "forebay_fuse_open_files", "Upper bound of the open files", transport::openFiles);
    }

    void views(PodViews views) {
        metrics.counter(
                "forebay_fuse_readahead_failures",
                "Mounts with the kernel's default read-ahead of 128 KiB",
                Readahead::failures);
        metrics.show(views.images()::counts);
        metrics.gauge(
                "forebay_fuse_mounted_files",
                "Files of all versions",
                () -> views.tree().statfs().files());
    }

    void reads(PodReads reads) {
        metrics.counter(
                "forebay_fuse_local_chunk_bytes",
                "Verified bytes read from chunk files of workers on this node",
                reads.chunks()::readBytes);
        metrics.gauge(
                "forebay_fuse_memory_bytes", "Memory of cached pieces", reads.packs()::memoryBytes);
    }

    void region(RegionState region) {
        metrics.gauge(
                "forebay_fuse_etcd_connected",
                "1 if etcd answers, so the mount table is current",
                () -> region.connected() ? 1 : 0);
        metrics.gauge(
                "forebay_fuse_etcd_rows_not_understood",
                "Rows of etcd that this release cannot read, because a later release wrote them",
                region::rowsNotUnderstood);
    }
}
