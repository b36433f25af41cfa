package dev.forebay.fuse.nodecache;

import dev.forebay.fuse.fs.Manifests;
import dev.forebay.fuse.read.LocalChunks;
import dev.forebay.fuse.read.NodeBytes;
import dev.forebay.fuse.read.PackSource;
import dev.forebay.membership.Mount;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.PackId;
import dev.forebay.thread.ScrubLoop;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The node cache: packs of mounted versions on the node's disk, shared by all mounts, filled by
 * reads and by prewarming. Thread-safe.
 */
public final class NodePacks implements PackSource, NodeBytes, AutoCloseable {

    /** The interval of probes while the disk is used. */
    private static final Duration WATCH_PAUSE = Duration.ofSeconds(5);

    /**
     * The timeout of a probe. A disk that is only busy answers sooner, and readers wait 30 s in
     * total.
     */
    private static final Duration WATCH_TIMEOUT = Duration.ofSeconds(15);

    /** The time after which a hanging disk is given up while it is used. */
    public static final Duration DISK_TIMEOUT = WATCH_PAUSE.plus(WATCH_TIMEOUT);

    private final VersionPages pages;
    private final PackCache cache;
    private final Optional<Prewarmer> prewarmer;
    private final OrphanPageCollector sweeper;
    private final Optional<ScrubLoop<ChunkId>> scrubber;
    private final DiskWatch watch;

    // Guarded by this.
    private long refusedBefore;

    private NodePacks(
            VersionPages pages,
            PackCache cache,
            Optional<Prewarmer> prewarmer,
            OrphanPageCollector sweeper,
            Optional<ScrubLoop<ChunkId>> scrubber,
            DiskWatch watch) {
        this.sweeper = sweeper;
        this.scrubber = scrubber;
        scrubber.ifPresent(ScrubLoop::startAfterPause);
        this.pages = pages;
        this.cache = cache;
        this.prewarmer = prewarmer;
        this.watch = watch;
        watch.start();
    }

    /**
     * Opens the cache with its existing content. It knows no version until {@link #update} is
     * called.
     *
     * @param source the source of missing bytes
     * @param complete called on its own thread when a version is complete on this node; from then
     *     on {@link #hold} may keep it
     * @throws ForebayException {@code UNAVAILABLE} if the directory cannot be used
     */
    public static NodePacks open(
            NodePacksConfig config,
            Manifests manifests,
            LocalChunks source,
            Consumer<ManifestRef> complete) {
        VersionPages pages = new VersionPages(manifests, config.capacityBytes());
        PackCache cache =
                PackCache.open(
                        config.directory(), config.capacityBytes(), config.strict(), source, pages);
        long rate = config.prewarmBytesPerSecond();
        return new NodePacks(
                pages,
                cache,
                rate == 0
                        ? Optional.empty()
                        : Optional.of(
                                new Prewarmer(
                                        cache, manifests, rate, config.retryPause(), complete)),
                new OrphanPageCollector(cache, pages, config.sweepDelay()),
                config.scrubBytesPerSecond() == 0
                        ? Optional.empty()
                        : Optional.of(
                                PackScrubber.loop(
                                        cache,
                                        pages::versions,
                                        config.scrubBytesPerSecond(),
                                        config.scrubPause())),
                new DiskWatch(config.directory(), cache.disk(), WATCH_PAUSE, WATCH_TIMEOUT));
    }

    /** Sets the mount table. Must be called before the versions are shown. */
    public void update(List<Mount> mounts) {
        boolean changed = pages.update(mounts);
        prewarmer.ifPresent(warmer -> warmer.update(mounts));
        if (changed) {
            sweeper.mountsChanged();
        }
    }

    /** Pauses or resumes the sweep of pages without a mounted version. */
    public void keepAll(boolean all) {
        sweeper.pause(all);
    }

    @Override
    public void read(Digest manifest, PackId pack, long from, long to, ByteBuffer target) {
        cache.read(manifest, pack, from, to, target);
    }

    @Override
    public boolean has(Digest manifest, PackId pack, long from, long to) {
        return cache.has(manifest, pack, from, to);
    }

    @Override
    public void willRead(PackId pack, long from, long to) {
        cache.willRead(pack, from, to);
    }

    @Override
    public Duration timeout() {
        return DISK_TIMEOUT;
    }

    /**
     * Protects a mounted version from removal if it is complete on this node, verified and synced.
     *
     * @return its packs, which the caller closes
     */
    public Optional<HeldPacks> hold(Digest manifest) {
        Optional<HeldPacks> held =
                prewarmer
                        .filter(_ -> cache.diskIsUsable())
                        .flatMap(warmer -> warmer.hold(manifest));
        // Checked after the packs are held: a sweep reads the mounted versions first, and the holds
        // later.
        if (held.isPresent() && !pages.mounted().contains(manifest)) {
            held.get().close();
            return Optional.empty();
        }
        return held;
    }

    /**
     * Returns whether a mounted version is known to be complete here, on a disk that has not
     * failed.
     */
    public boolean isWhole(Digest manifest) {
        return cache.diskIsUsable()
                && prewarmer.map(warmer -> warmer.isWhole(manifest)).orElse(false);
    }

    /** Returns whether a version was used and its prewarm is queued or running. */
    public boolean isUndecided(Digest manifest) {
        return cache.diskIsUsable()
                && prewarmer.filter(warmer -> warmer.isUndecided(manifest)).isPresent();
    }

    /** Returns whether the disk has failed recently. Programs must not read it directly then. */
    public boolean diskHasFailed() {
        return !cache.diskIsUsable();
    }

    /**
     * Records that programs read packs directly. Must be repeated within 30 s: for that time,
     * probes detect a failing disk within seconds.
     */
    public void isReadDirectly() {
        watch.rely();
    }

    /**
     * Returns whether a mounted version has lost pages that an earlier process had cached. Losses
     * are evictions since the cache was opened, damage that {@link #timesFoundWrong} counts, and
     * files that this process created. Returns false if the version's packs are unknown. Never
     * blocks.
     */
    public boolean hasLostSome(Digest manifest) {
        return pages.packsAtHand(manifest).filter(cache::haveLostSome).isPresent();
    }

    /**
     * Returns how often damage was found in a mounted version's packs. Damage found by earlier
     * processes counts unless {@link #viewsAreRenewed} was called after it. Empty if the version's
     * packs are unknown. Never blocks.
     */
    public OptionalLong timesFoundWrong(Digest manifest) {
        return pages.packsAtHand(manifest).stream().mapToLong(cache::timesFoundWrong).findAny();
    }

    /**
     * Returns the damage counts of a mounted version's packs, counted as in {@link
     * #timesFoundWrong}.
     */
    public Map<PackId, Long> foundWrong(Digest manifest) {
        Map<PackId, Long> wrong = new HashMap<>(cache.harmed());
        wrong.keySet().retainAll(pages.packsAtHand(manifest).orElse(Set.of()));
        return wrong;
    }

    /**
     * Returns the packs whose damage existing views may still show, with their damage counts.
     * Includes damage found by earlier processes.
     */
    public Map<PackId, Long> harmed() {
        return cache.harmed();
    }

    /** Records that all views from before the call of {@link #harmed} have been replaced. */
    public void viewsAreRenewed(Map<PackId, Long> harmedThen) {
        cache.viewsAreRenewed(harmedThen);
    }

    /** Starts to prewarm the version, unless that was tried recently. */
    @Override
    public void use(Digest manifest) {
        prewarmer.ifPresent(warmer -> warmer.used(manifest));
    }

    /** Prewarms a version again that has lost pages. */
    public void renew(Digest manifest) {
        prewarmer.ifPresent(warmer -> warmer.renew(manifest));
    }

    /**
     * Returns whether a write lacked space since the last call, or the cache exceeds its capacity.
     */
    public synchronized boolean lacksSpace() {
        long refused = cache.counters().refused();
        boolean lacked = !cache.freeSpace() || refused > refusedBefore;
        refusedBefore = refused;
        return lacked;
    }

    /** Returns the number of mounted versions that are complete on this node. */
    public long completeVersions() {
        return prewarmer.map(Prewarmer::completeVersions).orElse(0L);
    }

    public CacheCounters counters() {
        return cache.counters();
    }

    /** Returns the bytes that packs and maps take on disk. */
    public long usedBytes() {
        return cache.usedBytes();
    }

    /** Returns the maximum number of bytes that they may take. */
    public long capacityBytes() {
        return cache.capacityBytes();
    }

    @Override
    public void close() {
        scrubber.ifPresent(ScrubLoop::close);
        sweeper.close();
        prewarmer.ifPresent(Prewarmer::close);
        cache.close();
        // Closed last, because closing the cache waits for the disk.
        watch.close();
    }
}
