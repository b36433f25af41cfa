package dev.forebay.fuse;

import dev.forebay.chunkstore.NeighbourStore;
import dev.forebay.fuse.fs.Manifests;
import dev.forebay.fuse.linux.DirectMemory;
import dev.forebay.fuse.nodecache.NodePacksConfig;
import dev.forebay.fuse.options.PodOptions;
import dev.forebay.fuse.options.ViewChoice;
import dev.forebay.fuse.read.LocalChunks;
import dev.forebay.fuse.read.MountedSource;
import dev.forebay.fuse.read.PackReader;
import dev.forebay.fuse.read.PackReaderConfig;
import dev.forebay.fuse.read.PackSource;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionState;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ManifestRef;
import dev.forebay.transfer.RegionFiles;
import dev.forebay.transfer.RegionFilesConfig;
import dev.forebay.transfer.RegionReader;
import dev.forebay.transfer.RegionReaderConfig;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import dev.forebay.transfer.WorkerSet;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The read path of a pod: manifests, images and bytes of packs from its memory, this node's disks,
 * and the region's workers.
 */
final class PodReads {

    private static final Logger LOG = LoggerFactory.getLogger(PodReads.class);

    /** The delay before the first retry of a failed prewarm. */
    private static final Duration RETRY_PAUSE = Duration.ofMinutes(1);

    private final RegionFiles files;
    private final ManifestCache manifestFiles;
    private final Manifests manifests;
    private final LocalChunks chunks;
    private final Optional<PodPacks> nodePacks;
    private final MountedSource source;
    private final PackReader packs;
    private volatile Runnable versionIsWhole = () -> {};

    /**
     * @param parts receives the objects to close
     */
    PodReads(
            PodOptions options,
            WorkerClientConfig workers,
            RegionState region,
            PodMetrics metrics,
            StartedParts parts) {
        WorkerClient client = new WorkerClient(workers);
        parts.add(client);
        RegionReader regionReader =
                new RegionReader(
                        client, () -> workers(region), RegionReaderConfig.defaults(), metrics);
        files = new RegionFiles(client, () -> workers(region), RegionFilesConfig.defaults());
        manifestFiles =
                new ManifestCache(
                        options.directory.resolve("manifests"),
                        options.manifestCache.bytes(),
                        (ref, target) -> files.manifest(ref.digest(), target));
        manifests = new Manifests(manifestFiles);
        chunks = new LocalChunks(new NeighbourStore(options.workerStores), regionReader::read);
        nodePacks = nodePacks(options);
        nodePacks.ifPresent(parts::add);
        nodePacks.ifPresent(cache -> metrics.showCache(cache::open));
        nodePacks.ifPresent(cache -> metrics.showOff(cache::off));
        source = new MountedSource(nodePacks.<PackSource>map(cache -> cache).orElse(chunks));
        packs =
                new PackReader(
                        source,
                        nodePacks.map(cache -> cache),
                        PackReaderConfig.ofMemory(
                                        DirectMemory.forPieces(options.memoryCache.bytes()))
                                .prefetching(DirectMemory.buffers(16, 1 << 20, 16))
                                .strict(options.strict),
                        metrics);
        parts.add(packs);
    }

    private static WorkerSet workers(RegionState region) {
        RegionView view = region.view();
        return new WorkerSet(view.workers(), view.live(), view.replicas());
    }

    private Optional<PodPacks> nodePacks(PodOptions options) {
        NodePacksConfig config =
                new NodePacksConfig(
                        options.packDirectory(),
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
                                chunks,
                                this::isWhole));
    }

    private void isWhole(ManifestRef manifest) {
        LOG.info("All of manifest {} is on this node", manifest.digest());
        versionIsWhole.run();
    }

    RegionFiles files() {
        return files;
    }

    ManifestCache manifestFiles() {
        return manifestFiles;
    }

    Manifests manifests() {
        return manifests;
    }

    /** Returns the reader of the chunks of workers on this node. */
    LocalChunks chunks() {
        return chunks;
    }

    /** Returns the node cache; empty if its capacity is 0. */
    Optional<PodPacks> nodePacks() {
        return nodePacks;
    }

    PackReader packs() {
        return packs;
    }

    /** Sets an action that runs each time a version becomes complete on this node. */
    void whenVersionIsWhole(Runnable then) {
        versionIsWhole = then;
    }

    /** Sets the mount table. Must be called before the versions are shown. */
    void update(RegionView view) {
        List<Mount> mounts = view.mounts();
        nodePacks.ifPresent(cache -> cache.update(mounts, view.hidesClaims()));
        source.update(mounts);
    }
}
