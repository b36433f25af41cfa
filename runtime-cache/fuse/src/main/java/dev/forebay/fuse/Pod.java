package dev.forebay.fuse;

import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.kernel.WarmUp;
import dev.forebay.fuse.linux.Readahead;
import dev.forebay.fuse.nodecache.HoleCheck;
import dev.forebay.fuse.options.NodeOptions;
import dev.forebay.fuse.options.PodOptions;
import dev.forebay.fuse.options.ViewChoice;
import dev.forebay.fuse.view.ImageViews;
import dev.forebay.manifest.cache.DigestScrubber;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.membership.RegionState;
import dev.forebay.model.Digest;
import dev.forebay.model.NodeName;
import dev.forebay.thread.CatchAll;
import dev.forebay.transfer.BearerToken;
import dev.forebay.transfer.WorkerAuthorities;
import dev.forebay.transfer.WorkerClientConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The assembled parts of a FUSE pod. Closing it unmounts first. */
final class Pod implements AutoCloseable {

    private final StartedParts parts;
    private final RegionState region;
    private final PodReads reads;
    private final PodViews views;
    private final Transport transport;
    private final PodServer server;
    private volatile boolean ready;

    /**
     * Starts a pod. If a part fails, the started parts are stopped again.
     *
     * @param connect connects to the region; called after all local checks have passed
     */
    static Pod start(PodOptions options, Supplier<RegionState> connect) {
        StartedParts parts = new StartedParts();
        return CatchAll.closeOnFailure(parts, () -> new Pod(options, connect, parts));
    }

    private Pod(PodOptions options, Supplier<RegionState> connect, StartedParts parts) {
        this.parts = parts;
        PodMetrics metrics = new PodMetrics();
        parts.add(PodDirectory.lock("--directory", options.directory));
        if (options.packCache.bytes() > 0) {
            HoleCheck.require(PodPacks.OPTION, options.packDirectory());
        }
        WorkerClientConfig workers = workers(options);
        server =
                new PodServer(
                        options.metricsSocket(),
                        metrics::scrape,
                        this::isReady,
                        Readahead::firstFailure);
        parts.add(server);
        ViewChoice.Found found =
                options.view.find(
                        options.imageDevices(), options.directory, options.bringsWholeVersions());
        region = connect.get();
        parts.add(region);
        reads = new PodReads(options, workers, region, metrics, parts);
        ServedTree tree = new ServedTree();
        views = new PodViews(options, found, reads, tree::place, parts);
        ImageViews images = views.images();
        reads.whenVersionIsWhole(images::show);
        ManifestCache manifests = reads.manifestFiles();
        parts.add(scrubber(options, "manifests", manifests::copies, manifests::distrust));
        parts.add(scrubber(options, "images", images::images, images::distrust));
        CountDownLatch shown = new CountDownLatch(1);
        region.onChange(
                change -> {
                    reads.update(change);
                    views.show(change);
                    shown.countDown();
                });
        if (!options.cacheIsShared()) {
            reads.nodePacks().ifPresent(PodPacks::openNow);
        }
        transport =
                tree.serve(
                        options,
                        options.transport(found),
                        views.tree(),
                        new UpcallGuard(metrics),
                        shown,
                        () -> reads.nodePacks().ifPresent(PodPacks::serve));
        parts.add(transport);
        parts.add(images);
        Optional.ofNullable(options.node.name).ifPresent(name -> report(name, options.node));
        // Closed first, because the parts that it shows end later.
        parts.closeFirst(server);
        PodMeterBinder figures = new PodMeterBinder(metrics);
        figures.transport(transport);
        figures.views(views);
        figures.reads(reads);
        figures.region(region);
    }

    private void report(NodeName name, NodeOptions node) {
        NodeHoldings holdings =
                new NodeHoldings(
                        () -> region.view().mounts(), views.images()::natives, reads.nodePacks());
        NodeReporter reporter =
                new NodeReporter(
                        region.node(name, node.life()),
                        transport::serving,
                        holdings,
                        node.versions,
                        node.interval());
        parts.add(reporter);
        reporter.start();
    }

    private static WorkerClientConfig workers(PodOptions options) {
        Optional<BearerToken> token =
                Optional.ofNullable(options.tokenFile)
                        .map(file -> BearerToken.read("--token-file", file));
        Optional<WorkerAuthorities> authorities =
                Optional.ofNullable(options.workerAuthorities)
                        .map(file -> WorkerAuthorities.read("--worker-ca", file));
        return WorkerClientConfig.defaults().withToken(token).withAuthorities(authorities);
    }

    private static AutoCloseable scrubber(
            PodOptions options,
            String what,
            Supplier<Map<Digest, Path>> files,
            Consumer<Digest> damaged) {
        return DigestScrubber.start(
                what,
                files,
                damaged,
                options.scrubRate.bytes(),
                Duration.ofSeconds(options.scrubPauseSeconds));
    }

    /** Stays ready while etcd is away, because the pod serves what it knows. */
    private boolean isReady() {
        if (!ready) {
            return false;
        }
        try {
            region.view();
            return true;
        } catch (RuntimeException notReadYet) {
            return false;
        }
    }

    /** Prepares this process to take over, unless it serves already. */
    void rehearse() {
        if (!transport.serving()) {
            WarmUp.of(views.tree());
        }
        ready = true;
    }

    /** Returns the address of the metrics, for messages. */
    String metrics() {
        return server.uri()
                + "/metrics"
                + (server.isOnAllAddresses() ? " and all other addresses of this machine" : "");
    }

    /** Waits until the file system is unmounted, and returns the exit code. */
    int awaitEnd() throws InterruptedException {
        return transport.awaitEnd();
    }

    @Override
    public synchronized void close() {
        ready = false;
        parts.close();
    }
}
