package dev.forebay.fuse;

import dev.forebay.chunkstore.NeighbourStore;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Guard;
import dev.forebay.fuse.fs.InodeNumbers;
import dev.forebay.fuse.fs.Manifests;
import dev.forebay.fuse.fs.PortableView;
import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.hold.HeldTransport;
import dev.forebay.fuse.kernel.Rehearsal;
import dev.forebay.fuse.linux.DirectMemory;
import dev.forebay.fuse.nodecache.NodePacksConfig;
import dev.forebay.fuse.read.LocalChunks;
import dev.forebay.fuse.read.MountedSource;
import dev.forebay.fuse.read.PackReader;
import dev.forebay.fuse.read.PackReaderConfig;
import dev.forebay.fuse.read.PackSource;
import dev.forebay.fuse.view.ImageViews;
import dev.forebay.fuse.view.Images;
import dev.forebay.fuse.view.MountedPacks;
import dev.forebay.fuse.view.PackFolder;
import dev.forebay.manifest.DigestScrubber;
import dev.forebay.manifest.ManifestCache;
import dev.forebay.manifest.ManifestsAhead;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionState;
import dev.forebay.membership.RegionView;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.transfer.BearerToken;
import dev.forebay.transfer.RegionFiles;
import dev.forebay.transfer.RegionFilesConfig;
import dev.forebay.transfer.RegionReader;
import dev.forebay.transfer.RegionReaderConfig;
import dev.forebay.transfer.WorkerAuthorities;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import dev.forebay.transfer.WorkerSet;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parts of a FUSE pod, put together and running. Closing it unmounts first. */
final class Pod implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Pod.class);

    /** When a version may be brought here again for the first time, after that has failed. */
    private static final Duration RETRY_PAUSE = Duration.ofMinutes(1);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final RegionState region;
    private final Transport transport;
    private final PodServer server;
    private final FileSystemView view;
    private volatile boolean rehearsing;
    private volatile boolean ready;

    /** Where the tree is while it is served by this process. */
    private volatile Supplier<Optional<Path>> tree = Optional::empty;

    private volatile Runnable versionIsWhole = () -> {};

    /**
     * Starts; what was started is stopped again if something fails.
     *
     * @param connect reaches the region; called when all that is asked of this node was found right
     */
    static Pod start(PodOptions options, Supplier<RegionState> connect) {
        Deque<AutoCloseable> started = new ArrayDeque<>();
        try {
            return new Pod(options, connect, started);
        } catch (RuntimeException | Error e) {
            closeAll(started);
            throw e;
        }
    }

    private Pod(PodOptions options, Supplier<RegionState> connect, Deque<AutoCloseable> started) {
        PodMetrics metrics = new PodMetrics();
        started.push(PodDirectory.lock("--directory", options.directory));
        Optional<BearerToken> token =
                Optional.ofNullable(options.tokenFile)
                        .map(file -> BearerToken.read("--token-file", file));
        Optional<WorkerAuthorities> authorities =
                Optional.ofNullable(options.workerAuthorities)
                        .map(file -> WorkerAuthorities.read("--worker-ca", file));
        server = new PodServer(options.metricsSocket(), metrics::scrape, this::isReady);
        started.push(server);
        ViewChoice.Found found =
                options.view.find(
                        options.imageDevices, options.directory, options.bringsWholeVersions());
        region = connect.get();
        started.push(region);
        WorkerClient client =
                new WorkerClient(
                        WorkerClientConfig.defaults()
                                .withToken(token)
                                .withAuthorities(authorities));
        started.push(client);
        RegionReader regionReader =
                new RegionReader(
                        client, () -> workers(region), RegionReaderConfig.defaults(), metrics);
        RegionFiles files =
                new RegionFiles(client, () -> workers(region), RegionFilesConfig.defaults());
        ManifestCache manifestFiles =
                new ManifestCache(
                        options.directory.resolve("manifests"),
                        options.manifestCache.bytes(),
                        (ref, target) -> files.manifest(ref.digest(), target));
        Manifests manifests = new Manifests(manifestFiles);
        LocalChunks chunks =
                new LocalChunks(new NeighbourStore(options.workerStores), regionReader::read);
        Optional<PodPacks> nodePacks = nodePacks(options, manifests, chunks);
        nodePacks.ifPresent(started::push);
        nodePacks.ifPresent(packs -> metrics.showCache(packs::open));
        MountedSource source =
                new MountedSource(nodePacks.map(this::unlessRehearsing).orElse(chunks));
        PackReader packs =
                new PackReader(
                        source,
                        nodePacks.map(cache -> cache),
                        PackReaderConfig.ofMemory(
                                        DirectMemory.forPieces(options.memoryCache.bytes()))
                                .prefetching(DirectMemory.buffers(16, 1 << 20, 16))
                                .strict(options.strict),
                        metrics);
        started.push(packs);
        PortableView portable =
                new PortableView(
                        manifests,
                        packs,
                        options.attributeCache,
                        InodeNumbers.keptIn(options.mountDirectory().resolve("inodes")),
                        nanos(Instant.now()));
        Optional<ManifestsAhead> ahead =
                options.holder == null
                        ? Optional.empty()
                        : Optional.of(new ManifestsAhead(ref -> manifests.open(ref).close()));
        ahead.ifPresent(started::push);
        MountedPacks mountedPacks = new MountedPacks(manifests);
        view = new PackFolder(portable, mountedPacks, packs);
        ImageViews images =
                new ImageViews(
                        () -> tree.get(),
                        found.best(),
                        found.devices(),
                        new Images(
                                options.cacheDirectory().resolve("images"),
                                options.imageCache.bytes(),
                                (mount, file) ->
                                        files.image(
                                                mount.version(), mount.manifest().digest(), file)),
                        mountedPacks,
                        () -> nodePacks.flatMap(PodPacks::open));
        versionIsWhole = images::show;
        started.push(
                scrubber(options, "manifests", manifestFiles::copies, manifestFiles::distrust));
        started.push(scrubber(options, "images", images::images, images::distrust));
        CountDownLatch shown = new CountDownLatch(1);
        region.onChange(
                change -> {
                    List<Mount> mounts = change.mounts();
                    nodePacks.ifPresent(cache -> cache.update(mounts));
                    source.update(mounts);
                    mountedPacks.update(mounts);
                    images.retain(mounts);
                    portable.show(mounts);
                    images.show();
                    ahead.ifPresent(manifest -> manifest.update(change.manifests()));
                    shown.countDown();
                });
        if (!options.cacheIsShared()) {
            nodePacks.ifPresent(PodPacks::openNow);
        }
        transport =
                transport(
                        options,
                        view,
                        new Guard(metrics),
                        shown,
                        () -> nodePacks.ifPresent(PodPacks::openInTurn));
        started.push(transport);
        started.push(images);
        // Ends first: what it shows ends after it.
        started.remove(server);
        started.push(server);
        parts.addAll(started);
        metrics.gauge(
                "forebay_fuse_serving",
                "1 if requests are served, 0 if it stands by",
                () -> transport.serving() ? 1 : 0);
        metrics.show(images::counts);
        metrics.counter(
                "forebay_fuse_local_chunk_bytes",
                "Verified bytes from the files of this node's workers",
                chunks::readBytes);
        metrics.gauge("forebay_fuse_memory_bytes", "Memory of cached pieces", packs::memoryBytes);
        metrics.gauge(
                "forebay_fuse_open_files", "Files that are or may be open", transport::openFiles);
        metrics.gauge(
                "forebay_fuse_mounted_files", "Files of all versions", () -> view.statfs().files());
        metrics.gauge(
                "forebay_fuse_etcd_connected",
                "1 if the mount table is current",
                () -> region.connected() ? 1 : 0);
    }

    private Optional<PodPacks> nodePacks(
            PodOptions options, Manifests manifests, LocalChunks source) {
        NodePacksConfig config =
                new NodePacksConfig(
                        options.cacheDirectory().resolve("packs"),
                        options.packCache.bytes(),
                        options.prewarmRate.bytes(),
                        RETRY_PAUSE,
                        Duration.ofSeconds(options.sweepDelaySeconds),
                        options.scrubRate.bytes(),
                        Duration.ofSeconds(options.scrubPauseSeconds),
                        options.strict);
        return config.capacityBytes() == 0
                ? Optional.empty()
                : Optional.of(
                        new PodPacks(
                                config,
                                options.view == ViewChoice.NATIVE,
                                manifests,
                                source,
                                ref -> {
                                    LOG.info("All of manifest {} is on this node", ref.digest());
                                    versionIsWhole.run();
                                }));
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

    /** What is read to prepare must not bring whole versions to this node. */
    private PackSource unlessRehearsing(PodPacks packs) {
        return (manifest, pack, from, to, target) -> {
            if (rehearsing) {
                packs.probe(manifest, pack, from, to, target);
            } else {
                packs.read(manifest, pack, from, to, target);
            }
        };
    }

    private Transport transport(
            PodOptions options,
            FileSystemView view,
            Guard guard,
            CountDownLatch shown,
            Runnable whenServing) {
        if (options.holder == null) {
            Path mountpoint = Mountpoint.resolved(Objects.requireNonNull(options.mountpoint));
            Transport mounted =
                    options.transport.mount(view, guard, mountpoint, options.allowOther);
            tree = () -> Optional.of(mountpoint);
            return mounted;
        }
        try {
            // Readers know the tree: to serve an empty one would be an error to them.
            shown.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "interrupted", e);
        }
        HeldTransport held = HeldTransport.join(view, guard, options.holder, whenServing);
        Optional<Path> mountpoint = held.mountpoint().filter(Mountpoint::isOurMount);
        if (mountpoint.isEmpty()) {
            LOG.warn(
                    "Versions are shown file by file: the holder's mount cannot be seen from here");
        }
        tree = () -> held.serving() ? mountpoint : Optional.empty();
        return held;
    }

    private static WorkerSet workers(RegionState region) {
        RegionView view = region.view();
        return new WorkerSet(view.workers(), view.live(), view.replicas());
    }

    /** With etcd away it stays ready: it serves what it knows. */
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

    private static long nanos(Instant time) {
        return TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
    }

    /** Prepares to take over; nothing if it serves already. */
    void rehearse() {
        if (!transport.serving()) {
            rehearsing = true;
            Rehearsal.of(view);
            rehearsing = false;
        }
        ready = true;
    }

    URI server() {
        return server.uri();
    }

    /** Waits until the file system is unmounted; the exit code. */
    int awaitEnd() throws InterruptedException {
        return transport.awaitEnd();
    }

    @Override
    public synchronized void close() {
        ready = false;
        closeAll(parts);
    }

    private static void closeAll(Deque<AutoCloseable> parts) {
        while (!parts.isEmpty()) {
            AutoCloseable part = parts.pop();
            try {
                part.close();
            } catch (Exception e) {
                LOG.warn("Closing {} failed", part, e);
            }
        }
    }
}
