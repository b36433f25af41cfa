package dev.forebay.worker;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.ChunkStoreStats;
import dev.forebay.chunkstore.LostDisk;
import dev.forebay.chunkstore.StoreLimits;
import dev.forebay.image.ImageStore;
import dev.forebay.lake.Lake;
import dev.forebay.manifest.ManifestCache;
import dev.forebay.membership.Membership;
import dev.forebay.membership.RegionState;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.BearerToken;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import dev.forebay.transfer.WorkerStatus;
import dev.forebay.worker.fill.ChunkAccess;
import dev.forebay.worker.fill.FillLimits;
import dev.forebay.worker.fill.LakePace;
import dev.forebay.worker.fill.WorkerPeers;
import dev.forebay.worker.fill.WorkersAhead;
import dev.forebay.worker.handover.Drain;
import dev.forebay.worker.http.WorkerRoutes;
import dev.forebay.worker.retention.ChunkDropper;
import dev.forebay.worker.retention.LakeAccounts;
import dev.forebay.worker.retention.MountedVersions;
import dev.forebay.worker.retention.OrphanSweep;
import dev.forebay.worker.retention.ProtectedPacks;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A worker's parts, put together. Safe for use by many threads. */
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
    private final LakeAccounts accounts;
    private final PauseGuard pauses;
    private final ChunkAccess chunks;
    private final Repairs repairs;
    private final Optional<Scrubber> scrubber;
    private final Optional<OrphanSweep> orphans;
    private final WorkerMetrics metrics;
    private volatile @Nullable Membership membership;
    private @Nullable Drain drain;
    private @Nullable URI address;

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
        this.versions =
                new MountedVersions(
                        new ManifestCache(
                                config.home().resolve("manifests"),
                                config.manifests().capacity().asLongValue(),
                                new ManifestSource(lake)::fetch),
                        config.manifests().open());
        this.images =
                new ImageStore(
                        config.home().resolve("images"), config.images().capacity().asLongValue());
        this.pauses = PauseGuard.start(state);
        this.protectedPacks = new ProtectedPacks(versions, pauses::behind);
        this.store =
                ChunkStore.open(
                        config.directories(),
                        new StoreLimits(config.capacity().asLongValue(), config.files()),
                        protectedPacks);
        this.id = WorkerIdentity.of(config.home());
        this.client = new WorkerClient(clientConfig(config, process.token()));
        WorkerPeers peers =
                new WorkerPeers(
                        id,
                        versions::view,
                        client,
                        config.peers().attempts(),
                        config.peers().backOff(),
                        metrics);
        this.accounts = LakeAccounts.open(config.home().resolve("lake-bytes"), versions);
        this.chunks =
                new ChunkAccess(
                        store,
                        peers,
                        lake,
                        pace,
                        accounts,
                        fillLimits(config.fill()),
                        metrics,
                        this::behind,
                        new WorkersAhead(versions::view, client, config.fill().ahead()));
        this.repairs = new Repairs(store, chunks, versions, protectedPacks);
        this.scrubber = scrubber(config);
        this.orphans = orphanSweep(config.orphans());
        measure();
        state.onChange(this::regionChanged);
        orphans.ifPresent(OrphanSweep::start);
        scrubber.ifPresent(Scrubber::start);
        store.onLostDisk(disk -> Thread.ofVirtual().name("lost-disk").start(() -> lost(disk)));
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

    private void lost(LostDisk disk) {
        try {
            weighLess();
        } catch (RuntimeException e) {
            LOG.warn("Cannot tell the region that there is less room here", e);
        }
        repairs.refill(disk);
    }

    private Optional<OrphanSweep> orphanSweep(WorkerConfig.Orphans settings) {
        long bytesPerSecond = settings.bytesPerSecond().asLongValue();
        return bytesPerSecond == 0
                ? Optional.empty()
                : Optional.of(
                        new OrphanSweep(
                                store,
                                versions,
                                () -> state.connected() && !behind(),
                                settings.interval(),
                                bytesPerSecond));
    }

    /** The routes of the worker protocol. */
    WorkerRoutes routes(Optional<BearerToken> token) {
        WorkerConfig.Requests requests = config.requests();
        return new WorkerRoutes(
                versions,
                chunks,
                new ChunkDropper(store, chunks, versions, accounts, this::current),
                images,
                accounts,
                this::status,
                this::drain,
                new WorkerRoutes.Limits(
                        requests.concurrency(),
                        requests.fillConcurrency(),
                        requests.queue(),
                        requests.retryAfter()),
                token,
                metrics);
    }

    /** Says in the region's etcd that this worker is here, for as long as it is. */
    synchronized void join(URI address) {
        this.address = address;
        Membership joined = state.join(new WorkerNode(id, address, stats().capacityBytes()));
        membership = joined;
        drain =
                new Drain(
                        id,
                        joined,
                        versions,
                        chunks,
                        client,
                        config.drain().timeout(),
                        config.drain().bytesPerSecond().asLongValue());
    }

    /**
     * Joins anew with what is left of the disks, or leaves if nothing is; not if it leaves anyway.
     */
    private synchronized void weighLess() {
        URI known = address;
        if (known == null || drain().progress().state() != Drain.State.SERVING) {
            return;
        }
        leave();
        if (stats().disks() > 0) {
            join(known);
        }
    }

    /** Whether the region may have gone on without this process. */
    private boolean behind() {
        return pauses.behind() || superseded();
    }

    private boolean superseded() {
        Membership mine = membership;
        return mine != null && mine.superseded();
    }

    /** Whether this process is this worker, knows the region's state, and may drop chunks. */
    private boolean current() {
        Membership mine = membership;
        return mine != null && mine.valid() && !pauses.behind();
    }

    /** How this worker leaves for good. */
    private synchronized Drain drain() {
        if (drain == null) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE, "this worker is not registered in its region yet");
        }
        return drain;
    }

    /** Hands chunks over before the process ends, if that is wanted, for as long as is allowed. */
    void drainBeforeStop() throws InterruptedException {
        Duration patience = config.drain().onStop();
        if (patience.isPositive()) {
            try {
                Drain.Progress _ = drain().start();
                drain().await(patience);
            } catch (ForebayException e) {
                LOG.warn("Stops without handing chunks over: {}", e.getMessage());
            }
        }
    }

    String id() {
        return id;
    }

    boolean ready() {
        return versions.ready() && !superseded() && stats().disks() > 0;
    }

    /** How many disks are in use, for people. */
    String disks() {
        ChunkStoreStats stats = stats();
        return "%d of %d".formatted(stats.disks(), stats.disks() + stats.failedDisks());
    }

    boolean inTouchWithEtcd() {
        return state.connected();
    }

    private void regionChanged(RegionView view) {
        versions.update(view);
        protectedPacks.update(view);
        accounts.update(view);
        pace.shareAmong(view.live().size());
    }

    private WorkerStatus status() {
        ChunkStoreStats stats = store.stats();
        return new WorkerStatus(
                id, region, stats.capacityBytes(), stats.usedBytes(), stats.chunks());
    }

    private void measure() {
        metrics.gauge(
                "store.capacity.bytes", "What chunks may take", () -> stats().capacityBytes());
        metrics.gauge("store.used.bytes", "What chunks take", () -> stats().usedBytes());
        metrics.gauge("store.chunks", "Chunks on disk", () -> stats().chunks());
        metrics.gauge("store.protected.chunks", "Chunks that pins protect", this::protectedChunks);
        metrics.count("store.evicted.chunks", "Chunks evicted for room", () -> stats().evicted());
        orphans.ifPresent(
                sweep ->
                        metrics.count(
                                "store.orphaned.chunks",
                                "Chunks removed because no mounted version refers to them",
                                () -> sweep.total().chunks()));
        metrics.count(
                "store.damaged.chunks", "Damage found in chunks on disk", () -> stats().damaged());
        metrics.count(
                "store.disk.full", "Writes that found the disk full", () -> stats().diskFull());
        metrics.count("store.disk.errors", "Failures of the disk", () -> stats().diskErrors());
        metrics.gauge("store.disks", "Disks in use", () -> stats().disks());
        metrics.gauge(
                "store.failed.disks", "Disks that were taken out", () -> stats().failedDisks());
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
        metrics.count("images.written", "Images written", images::written);
        metrics.gauge("fills.under.way", "Fills running or queued", chunks::fillsUnderWay);
        metrics.gauge(
                "lake.pace",
                "Requests to the lake that this worker allows itself in a second",
                pace::perSecond);
        metrics.count("lake.throttled", "Requests that the lake throttled", pace::throttled);
        metrics.gauge("etcd.in.touch", "1 if etcd answers", () -> state.connected() ? 1 : 0);
    }

    private ChunkStoreStats stats() {
        return store.stats();
    }

    private long protectedChunks() {
        long sum = 0;
        for (PackId pack : store.packs()) {
            sum += protectedPacks.test(pack) ? store.chunks(pack).size() : 0;
        }
        return sum;
    }

    private static WorkerClientConfig clientConfig(
            WorkerConfig config, Optional<BearerToken> token) {
        return WorkerClientConfig.defaults()
                .withToken(token)
                .withReadTimeouts(config.peers().timeout(), config.peers().firstByte());
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

    /** Leaves the region's live workers; the registered ones it stays among, with its chunks. */
    synchronized void leave() {
        if (drain != null) {
            drain.close();
        }
        Membership mine = membership;
        if (mine != null) {
            mine.close();
        }
    }

    /** Lets go of everything. */
    synchronized void stop() throws Exception {
        leave();
        repairs.close();
        scrubber.ifPresent(Scrubber::close);
        orphans.ifPresent(OrphanSweep::close);
        pauses.close();
        state.close();
        protectedPacks.close();
        client.close();
        lake.close();
        images.close();
        versions.close();
        store.close();
    }
}
