package dev.forebay.worker;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.ChunkStoreStats;
import dev.forebay.chunkstore.DiskLimits;
import dev.forebay.chunkstore.LostDisk;
import dev.forebay.chunkstore.StoreLimits;
import dev.forebay.image.ImageStore;
import dev.forebay.lake.Lake;
import dev.forebay.manifest.cache.DigestScrubber;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.manifest.cache.ManifestPrefetch;
import dev.forebay.membership.RegionState;
import dev.forebay.membership.RegionView;
import dev.forebay.membership.WorkerRegistration;
import dev.forebay.model.Digest;
import dev.forebay.thread.ScrubLoop;
import dev.forebay.transfer.BearerToken;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import dev.forebay.transfer.WorkerStatus;
import dev.forebay.worker.accounts.DiskUseAccounting;
import dev.forebay.worker.accounts.VersionAccounts;
import dev.forebay.worker.fill.ChunkAccess;
import dev.forebay.worker.fill.FillLimits;
import dev.forebay.worker.fill.LakePace;
import dev.forebay.worker.fill.OwnerReadAhead;
import dev.forebay.worker.fill.Permits;
import dev.forebay.worker.fill.SiblingRegions;
import dev.forebay.worker.fill.WorkerPeers;
import dev.forebay.worker.handover.Drain;
import dev.forebay.worker.http.WorkerRoutes;
import dev.forebay.worker.retention.ChunkDropper;
import dev.forebay.worker.retention.LastReads;
import dev.forebay.worker.retention.MountedVersions;
import dev.forebay.worker.retention.OrphanChunkCollector;
import dev.forebay.worker.retention.ProtectedPacks;
import dev.forebay.worker.retention.StoreUsage;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates and connects the parts of a worker. Safe for use by many threads. */
final class Worker {

    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

    private final WorkerConfig config;
    private final String region;
    private final String id;
    private final RegionState state;
    private final Lake lake;
    private final LakePace pace;
    private final ChunkStore store;
    private final MountedVersions versions;
    private final ImageStore images;
    private final ProtectedPacks protectedPacks;
    private final WorkerClient client;
    private final WorkerClient siblings;
    private final VersionAccounts accounts;
    private final DiskUseAccounting ticks;
    private final LastReads lastReads;
    private final PauseGuard pauses;
    private final Registration registration;
    private final ChunkAccess chunks;
    private final Repairs repairs;
    private final Optional<Scrubber> scrubber;
    private final ManifestPrefetch ahead;
    private final ScrubLoop<?> manifestScrubber;
    private final ScrubLoop<?> imageScrubber;
    private final Optional<OrphanChunkCollector> orphans;
    private final WorkerMetrics metrics;

    Worker(
            WorkerConfig config,
            ProcessConfig process,
            RegionState state,
            Lake lake,
            LakePace pace,
            WorkerMetrics metrics) {
        this.config = config;
        this.region = process.region().value();
        this.state = state;
        this.lake = lake;
        this.pace = pace;
        this.metrics = metrics;
        ManifestCache manifests =
                new ManifestCache(
                        config.home().resolve("manifests"),
                        config.manifests().capacity().asLongValue(),
                        new ManifestSource(lake)::fetch);
        this.versions = new MountedVersions(manifests, config.manifests().open(), state::catchUp);
        this.ahead = new ManifestPrefetch(ref -> versions.use(ref.digest()).close());
        this.manifestScrubber =
                digestScrubber(config, "manifests", manifests::copies, manifests::distrust);
        this.images =
                new ImageStore(
                        config.home().resolve("images"),
                        config.images().capacity().asLongValue(),
                        manifests::distrust);
        this.imageScrubber = digestScrubber(config, "images", images::copies, images::distrust);
        this.pauses = PauseGuard.start(state);
        this.protectedPacks = new ProtectedPacks(versions, pauses::behind);
        this.store =
                ChunkStore.open(
                        config.directories(),
                        new StoreLimits(config.capacity().asLongValue(), config.files()),
                        new DiskLimits(config.disk().calls(), config.disk().timeout()),
                        protectedPacks);
        this.id = WorkerIdentity.of(config.home());
        this.registration = new Registration(id, state, store::chunkCapacity, this::drain);
        this.client = new WorkerClient(clientConfig(config, process));
        this.siblings =
                new WorkerClient(
                        clientConfig(config, process)
                                .withAuthorities(process.serviceAuthorities())
                                .withReadTimeouts(
                                        config.siblings().timeout(),
                                        config.siblings().firstByte()));
        WorkerPeers peers =
                new WorkerPeers(
                        id,
                        versions::view,
                        client,
                        config.peers().attempts(),
                        config.peers().backOff(),
                        metrics);
        this.accounts = VersionAccounts.open(config.home().resolve("accounts"), versions);
        this.lastReads =
                LastReads.open(config.home().resolve("last-reads"), InstantSource.system());
        this.chunks =
                new ChunkAccess(
                        store,
                        peers,
                        siblings(config, metrics),
                        lake,
                        pace,
                        accounts,
                        fillLimits(config.fill()),
                        metrics,
                        this::behind,
                        new OwnerReadAhead(versions::view, client, config.fill().ahead()));
        this.ticks =
                DiskUseAccounting.start(accounts, store, versions, config.accounts().interval());
        this.repairs = new Repairs(store, chunks, versions, protectedPacks);
        this.scrubber = scrubber(config);
        this.orphans = orphanSweep(config.orphans());
        WorkerMeterBinder figures = new WorkerMeterBinder(metrics);
        figures.store(store, protectedPacks);
        figures.repairs(repairs, scrubber, orphans);
        figures.fills(images, chunks);
        figures.surroundings(pace, state);
        state.onChange(this::regionChanged);
        orphans.ifPresent(OrphanChunkCollector::start);
        scrubber.ifPresent(Scrubber::start);
        store.onLostDisk(disk -> Thread.ofVirtual().name("lost-disk").start(() -> lost(disk)));
        store.onReturnedDisk(_ -> updateCapacity());
    }

    private SiblingRegions siblings(WorkerConfig settings, WorkerMetrics observer) {
        WorkerConfig.Siblings bounds = settings.siblings();
        Permits permits =
                new Permits(
                        "a chunk of another region (forebay.worker.siblings.concurrency)",
                        bounds.concurrency(),
                        settings.fill().concurrency());
        return new SiblingRegions(
                versions::view, siblings, permits, bounds.timeout(), bounds.backOff(), observer);
    }

    private Optional<Scrubber> scrubber(WorkerConfig settings) {
        long bytesPerSecond = settings.scrub().bytesPerSecond().asLongValue();
        return bytesPerSecond == 0
                ? Optional.empty()
                : Optional.of(
                        new Scrubber(
                                store,
                                repairs::repair,
                                settings.home().resolve("scrub"),
                                bytesPerSecond,
                                settings.scrub().pause()));
    }

    private static ScrubLoop<?> digestScrubber(
            WorkerConfig settings,
            String what,
            Supplier<Map<Digest, Path>> files,
            Consumer<Digest> damaged) {
        return DigestScrubber.start(
                what,
                files,
                damaged,
                settings.scrub().bytesPerSecond().asLongValue(),
                settings.scrub().pause());
    }

    private void lost(LostDisk disk) {
        updateCapacity();
        repairs.refill(disk);
    }

    private void updateCapacity() {
        try {
            registration.updateCapacity();
        } catch (RuntimeException e) {
            LOG.warn("Cannot publish the capacity of this worker in etcd; retrying", e);
        }
    }

    private Optional<OrphanChunkCollector> orphanSweep(WorkerConfig.Orphans settings) {
        long bytesPerSecond = settings.bytesPerSecond().asLongValue();
        return bytesPerSecond == 0
                ? Optional.empty()
                : Optional.of(
                        new OrphanChunkCollector(
                                store,
                                versions,
                                () -> state.connected() && !behind(),
                                settings.interval(),
                                bytesPerSecond));
    }

    /** Returns the routes of the worker protocol. */
    WorkerRoutes routes(Optional<BearerToken> token) {
        WorkerConfig.Requests requests = config.requests();
        return new WorkerRoutes(
                versions,
                chunks,
                new ChunkDropper(
                        store, chunks::awaitFills, versions, accounts::close, this::current),
                images,
                accounts,
                lastReads,
                new StoreUsage(store, versions, lastReads),
                this::status,
                registration::drain,
                new WorkerRoutes.Limits(
                        requests.concurrency(),
                        requests.fillConcurrency(),
                        requests.queue(),
                        requests.retryAfter()),
                token,
                metrics);
    }

    /** Returns this worker's registration in the region. */
    Registration registration() {
        return registration;
    }

    private Drain drain(WorkerRegistration membership) {
        return new Drain(
                id,
                membership,
                versions,
                chunks::complete,
                client,
                config.drain().timeout(),
                config.drain().bytesPerSecond().asLongValue());
    }

    /** Returns whether the region may have changed without this process. */
    private boolean behind() {
        return pauses.behind() || registration.superseded();
    }

    /**
     * Returns whether this process still has this worker's id and knows the region's state, so that
     * it may drop chunks.
     */
    private boolean current() {
        return registration.valid() && !pauses.behind();
    }

    String id() {
        return id;
    }

    boolean ready() {
        return versions.ready() && !registration.superseded() && stats().disks() > 0;
    }

    /** Returns the number of disks in use, as text for the health check. */
    String disks() {
        ChunkStoreStats stats = stats();
        return "%d of %d".formatted(stats.disks(), stats.disks() + stats.failedDisks());
    }

    boolean inTouchWithEtcd() {
        return state.connected();
    }

    private void regionChanged(RegionView view) {
        versions.update(view);
        ahead.update(view.manifests());
        protectedPacks.update(view);
        accounts.update(view);
        lastReads.update(view);
        pace.shareAmong(sharers(view));
    }

    /** Counts this worker even before it has joined: it already answers, and may read the lake. */
    private int sharers(RegionView view) {
        int live = view.live().size();
        return live == 0 || view.live().contains(id) ? live : live + 1;
    }

    private WorkerStatus status() {
        ChunkStoreStats stats = store.stats();
        return new WorkerStatus(
                id, region, stats.capacityBytes(), stats.usedBytes(), stats.chunks());
    }

    private ChunkStoreStats stats() {
        return store.stats();
    }

    private static WorkerClientConfig clientConfig(WorkerConfig config, ProcessConfig process) {
        return WorkerClientConfig.defaults()
                .withToken(process.token())
                .withAuthorities(process.authorities())
                .withReadTimeouts(config.peers().timeout(), config.peers().firstByte())
                .forWorker();
    }

    private static FillLimits fillLimits(WorkerConfig.Fill fill) {
        return new FillLimits(
                fill.concurrency(),
                fill.queue(),
                fill.lakeRequests(),
                fill.lakeRequestsPerChunk(),
                fill.timeout(),
                fill.changedMemory(),
                fill.changedMemoryObjects());
    }

    /** Stops all parts and releases their resources. */
    synchronized void stop() throws Exception {
        registration.leave();
        ahead.close();
        repairs.close();
        scrubber.ifPresent(Scrubber::close);
        manifestScrubber.close();
        imageScrubber.close();
        orphans.ifPresent(OrphanChunkCollector::close);
        pauses.close();
        ticks.close();
        state.close();
        protectedPacks.close();
        client.close();
        siblings.close();
        lake.close();
        images.close();
        versions.close();
        store.close();
    }
}
