package dev.forebay.fuse.nodecache;

import dev.forebay.fuse.fs.Manifests;
import dev.forebay.fuse.read.LocalChunks;
import dev.forebay.fuse.read.NodeBytes;
import dev.forebay.fuse.read.PackSource;
import dev.forebay.membership.Mount;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.PackId;
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
 * The node cache: packs of mounted versions on the node's disk, shared by all mounts, filled while
 * they are read and ahead of time. Safe for use by many threads.
 */
public final class NodePacks implements PackSource, NodeBytes, AutoCloseable {

    /** How often the disk is looked at while it is used. */
    private static final Duration WATCH_PAUSE = Duration.ofSeconds(5);

    /** A disk that is only busy answers sooner; readers are let wait for 30 s in all. */
    private static final Duration WATCH_PATIENCE = Duration.ofSeconds(15);

    /** How long a disk that hangs is waited for before it is given up, as long as it is used. */
    public static final Duration DISK_PATIENCE = WATCH_PAUSE.plus(WATCH_PATIENCE);

    private final VersionPages pages;
    private final PackCache cache;
    private final Optional<Prewarmer> prewarmer;
    private final Sweeper sweeper;
    private final Optional<PackScrubber> scrubber;
    private final DiskWatch watch;

    // Guarded by this.
    private long refusedBefore;

    private NodePacks(
            VersionPages pages,
            PackCache cache,
            Optional<Prewarmer> prewarmer,
            Sweeper sweeper,
            Optional<PackScrubber> scrubber,
            DiskWatch watch) {
        this.sweeper = sweeper;
        this.scrubber = scrubber;
        scrubber.ifPresent(PackScrubber::start);
        this.pages = pages;
        this.cache = cache;
        this.prewarmer = prewarmer;
        this.watch = watch;
        watch.start();
    }

    /**
     * Opens it with what is there. Knows no version until {@link #update} was called.
     *
     * @param source where to get what is not here
     * @param complete told, on a thread of its own, that a version is here as a whole: from now on
     *     {@link #hold} may keep it here
     * @throws ForebayException with {@code UNAVAILABLE} if the directory cannot be used
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
                new Sweeper(cache, pages, config.sweepDelay()),
                config.scrubBytesPerSecond() == 0
                        ? Optional.empty()
                        : Optional.of(
                                new PackScrubber(
                                        cache,
                                        pages::versions,
                                        config.scrubBytesPerSecond(),
                                        config.scrubPause())),
                new DiskWatch(config.directory(), cache.disk(), WATCH_PAUSE, WATCH_PATIENCE));
    }

    /** Takes over the mount table; call it before the versions are shown. */
    public void update(List<Mount> mounts) {
        boolean changed = pages.update(mounts);
        prewarmer.ifPresent(warmer -> warmer.update(mounts));
        if (changed) {
            sweeper.mountsChanged();
        }
    }

    /** Pauses, or resumes, the sweep of what no mounted version has. */
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
    public Duration patience() {
        return DISK_PATIENCE;
    }

    /**
     * If a mounted version is here as a whole, verified and synced, keeps it here.
     *
     * @return its packs, to be closed
     */
    public Optional<HeldPacks> hold(Digest manifest) {
        Optional<HeldPacks> held =
                prewarmer
                        .filter(_ -> cache.diskIsUsable())
                        .flatMap(warmer -> warmer.hold(manifest));
        // Not before they are held: a sweep looks who is mounted first, and then who holds.
        if (held.isPresent() && !pages.mounted().contains(manifest)) {
            held.get().close();
            return Optional.empty();
        }
        return held;
    }

    /** Whether a mounted version is known to be here as a whole, on a disk that has not failed. */
    public boolean isWhole(Digest manifest) {
        return cache.diskIsUsable()
                && prewarmer.map(warmer -> warmer.isWhole(manifest)).orElse(false);
    }

    /** Whether a version is to be brought here that was used, or is just being brought. */
    public boolean isUndecided(Digest manifest) {
        return cache.diskIsUsable()
                && prewarmer.filter(warmer -> warmer.isUndecided(manifest)).isPresent();
    }

    /** Whether the disk has failed lately: then nothing is to be read from it past this process. */
    public boolean diskHasFailed() {
        return !cache.diskIsUsable();
    }

    /**
     * Says that packs are read past this process, to be said again within half a minute: for so
     * long it is found out by itself, in seconds, when the disk fails.
     */
    public void isReadDirectly() {
        watch.rely();
    }

    /**
     * Whether not all is here that an earlier process had of a mounted version's packs, as far as
     * it is known which those are: something was given up since this was opened, or is counted by
     * {@link #timesFoundWrong}, or a pack's files are not those that were here. Waits for nothing.
     */
    public boolean hasLostSome(Digest manifest) {
        return pages.packsAtHand(manifest).filter(cache::haveLostSome).isPresent();
    }

    /**
     * How often something of a mounted version's packs was found wrong since this was opened, or
     * before without {@link #viewsAreRenewed} being said since. Empty if it is not known which
     * those are; waits for nothing.
     */
    public OptionalLong timesFoundWrong(Digest manifest) {
        return pages.packsAtHand(manifest).stream().mapToLong(cache::timesFoundWrong).findAny();
    }

    /**
     * How many blocks were found wrong of which of a mounted version's packs, counted as by {@link
     * #timesFoundWrong}.
     */
    public Map<PackId, Long> foundWrong(Digest manifest) {
        Map<PackId, Long> wrong = new HashMap<>(cache.harmed());
        wrong.keySet().retainAll(pages.packsAtHand(manifest).orElse(Set.of()));
        return wrong;
    }

    /**
     * The packs of which something was found wrong, also by earlier processes, that views may still
     * show, and how often.
     */
    public Map<PackId, Long> harmed() {
        return cache.harmed();
    }

    /** Says that no view is left that was there when {@link #harmed} was asked. */
    public void viewsAreRenewed(Map<PackId, Long> harmedThen) {
        cache.viewsAreRenewed(harmedThen);
    }

    /** Brings the version here as a whole, unless it was tried lately. */
    @Override
    public void use(Digest manifest) {
        prewarmer.ifPresent(warmer -> warmer.used(manifest));
    }

    /** Brings a version here as a whole once more, of which something was lost. */
    public void renew(Digest manifest) {
        prewarmer.ifPresent(warmer -> warmer.renew(manifest));
    }

    /** Whether there was no room for something since this was asked before, or is not enough. */
    public synchronized boolean lacksRoom() {
        long refused = cache.counters().refused();
        boolean lacked = !cache.makeRoom() || refused > refusedBefore;
        refusedBefore = refused;
        return lacked;
    }

    /** How many mounted versions are here as a whole. */
    public long completeVersions() {
        return prewarmer.map(Prewarmer::completeVersions).orElse(0L);
    }

    public CacheCounters counters() {
        return cache.counters();
    }

    /** What packs and maps take on disk, in bytes. */
    public long usedBytes() {
        return cache.usedBytes();
    }

    /** What they may take. */
    public long capacityBytes() {
        return cache.capacityBytes();
    }

    @Override
    public void close() {
        scrubber.ifPresent(PackScrubber::close);
        sweeper.close();
        prewarmer.ifPresent(Prewarmer::close);
        cache.close();
        // Not before: the end itself waits for the disk.
        watch.close();
    }
}
