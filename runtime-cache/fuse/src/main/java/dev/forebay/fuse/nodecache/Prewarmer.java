package dev.forebay.fuse.nodecache;

import dev.forebay.fuse.fs.Manifests;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.cache.CachedManifest;
import dev.forebay.membership.Mount;
import dev.forebay.model.Backoff;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.thread.CatchAll;
import dev.forebay.thread.PeriodicTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches versions that are read on this node completely to its disk, one after the other, in the
 * background. Tracks which versions are complete.
 *
 * <p>It takes only versions that the region has CACHED, so that it does not fetch from the lake
 * what a fill is about to fetch. It skips versions that are larger than the cache. A version that
 * could not be fetched or stored completely is retried when it is read after a pause. The pause
 * doubles each time, until the version stays complete for longer than it. Thread-safe.
 */
final class Prewarmer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Prewarmer.class);

    /** The number of chunks to fetch at once, and therefore the number of workers. */
    private static final int CONCURRENCY = 4;

    private static final int BATCH = 64;

    /** The number of attempts if damage is found on the way. */
    private static final int ROUNDS = 3;

    /** The longest pause before a retry, as a multiple of the first. */
    private static final int LONGEST_PAUSE = 64;

    /** The timeout of closing, because a disk may hang. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    /** A version that was complete when its packs had this number of losses. */
    private record Whole(List<PackFile> packs, long losses, long sinceNanos) {

        boolean isStill() {
            return losses == PackFile.losses(packs);
        }

        long ageMillis() {
            return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos);
        }
    }

    private final PackCache cache;
    private final Manifests manifests;
    private final ByteRateLimit pace;
    private final Backoff backoff;
    private final Consumer<ManifestRef> complete;
    private final BlockingQueue<ManifestRef> queue = new LinkedBlockingQueue<>();
    private final Set<Digest> tried = ConcurrentHashMap.newKeySet();
    private final Set<Digest> undecided = ConcurrentHashMap.newKeySet();
    private final Map<Digest, Integer> failures = new ConcurrentHashMap<>();
    private final Map<Digest, Whole> whole = new ConcurrentHashMap<>();
    private final ExecutorService chunks =
            Executors.newFixedThreadPool(
                    CONCURRENCY, Thread.ofPlatform().daemon().name("prewarm-chunk-", 0).factory());
    private final PeriodicTask task =
            new PeriodicTask(
                    Thread.ofPlatform().daemon().name("prewarm"),
                    Duration.ZERO,
                    "Cannot prewarm all of a version; its next read starts another attempt",
                    () -> prewarm(queue.take()));
    private volatile Map<Digest, ManifestRef> mounted = Map.of();

    /**
     * @param bytesPerSecond the maximum rate of fetches
     * @param retryPause the delay after the first failure of a version before it may be retried
     * @param complete called on a thread of this object when a version is complete on this node
     */
    Prewarmer(
            PackCache cache,
            Manifests manifests,
            long bytesPerSecond,
            Duration retryPause,
            Consumer<ManifestRef> complete) {
        this.cache = cache;
        this.manifests = manifests;
        this.pace = new ByteRateLimit(bytesPerSecond);
        this.backoff = new Backoff(retryPause, retryPause.multipliedBy(LONGEST_PAUSE));
        this.complete = complete;
        task.start();
    }

    /** Sets the mount table. */
    void update(List<Mount> mounts) {
        mounted =
                mounts.stream()
                        .filter(mount -> mount.state() == Mount.State.CACHED)
                        .map(Mount::manifest)
                        .collect(
                                Collectors.toUnmodifiableMap(
                                        ManifestRef::digest, ref -> ref, (one, _) -> one));
        tried.retainAll(mounted.keySet());
        failures.keySet().retainAll(mounted.keySet());
        whole.keySet().retainAll(mounted.keySet());
    }

    /** Records that a version is being read. Cheap, because every read calls it. */
    void used(Digest manifest) {
        ManifestRef ref = mounted.get(manifest);
        // Usually only a lookup: adding an existing element takes a lock.
        if (ref != null && !tried.contains(manifest) && tried.add(manifest)) {
            undecided.add(manifest);
            queue.add(ref);
        }
    }

    /** Tries a version again. */
    void renew(Digest manifest) {
        tried.remove(manifest);
        used(manifest);
    }

    /**
     * Protects a mounted version from removal if it is complete, verified and synced. If it has
     * lost pages since it was complete, it may be prewarmed again when it is read.
     *
     * @return its packs, which the caller closes
     */
    Optional<HeldPacks> hold(Digest manifest) {
        Whole known = whole.get(manifest);
        if (known == null) {
            return Optional.empty();
        }
        HeldPacks held = new HeldPacks(manifest, known.packs);
        if (known.isStill()) {
            return Optional.of(held);
        }
        held.close();
        // An eviction that a hold prevents counts as a loss for a moment: check again without the
        // hold.
        if (!known.isStill()) {
            forget(manifest, known);
        }
        return Optional.empty();
    }

    /**
     * Schedules a retry with a delay if the version was complete only briefly. Versions that do not
     * fit together must not replace each other at the rate of reads.
     */
    private void forget(Digest manifest, Whole lost) {
        if (!whole.remove(manifest, lost)) {
            // It is complete again already.
            return;
        }
        if (lost.ageMillis() < pauseMillis(failures.getOrDefault(manifest, 0))) {
            tryAgainLater(manifest);
        } else {
            failures.remove(manifest);
            tried.remove(manifest);
        }
    }

    /** See {@link NodePacks#isUndecided}. */
    boolean isUndecided(Digest manifest) {
        return undecided.contains(manifest);
    }

    boolean isWhole(Digest manifest) {
        Whole known = whole.get(manifest);
        return known != null && known.isStill();
    }

    /** Returns the number of mounted versions that are complete on this node. */
    long completeVersions() {
        return whole.values().stream().filter(Whole::isStill).count();
    }

    /** Prewarms a version; failures do not affect the next version. */
    private void prewarm(ManifestRef ref) throws InterruptedException {
        boolean settled = false;
        try {
            settled = warm(ref);
        } finally {
            undecided.remove(ref.digest());
            if (!settled) {
                boolean _ =
                        CatchAll.run(
                                () -> tryAgainLater(ref.digest()), _ -> tried.remove(ref.digest()));
            }
        }
    }

    /** Returns whether no retry is needed. */
    private boolean warm(ManifestRef ref) throws InterruptedException {
        if (ref.bytes() > cache.capacityBytes()) {
            LOG.info(
                    "Manifest {} has {} bytes and the node cache {}: not prewarming it",
                    ref.digest(),
                    ref.bytes(),
                    cache.capacityBytes());
            return true;
        }
        try (CachedManifest manifest = manifests.open(ref);
                HeldPacks packs = cache.hold(ref.digest(), manifest.packs())) {
            for (int round = 0; round < ROUNDS; round++) {
                long losses = PackFile.losses(packs.packs());
                if (!bringAll(ref, manifest)) {
                    LOG.info(
                            "Manifest {} does not fit completely on this node; trying again later",
                            ref.digest());
                    return false;
                }
                if (!isSynced(packs)) {
                    LOG.info(
                            "Cannot sync the packs of manifest {} to the node's disk; trying again "
                                    + "later",
                            ref.digest());
                    return false;
                }
                Whole found = new Whole(packs.packs(), losses, System.nanoTime());
                if (found.isStill()) {
                    whole.put(ref.digest(), found);
                    if (!mounted.containsKey(ref.digest())) {
                        // It was unmounted during the sync, so its losses are no longer counted.
                        whole.remove(ref.digest());
                        return true;
                    }
                    complete.accept(ref);
                    return true;
                }
            }
            LOG.warn(
                    "Blocks of manifest {} are damaged again and again: check the node's disk",
                    ref.digest());
        } catch (ForebayException e) {
            LOG.warn("Cannot fetch all of manifest {}: {}", ref.digest(), e.getMessage());
        }
        return false;
    }

    /** Counts as a use of the disk, so that the files are not closed meanwhile. */
    private boolean isSynced(HeldPacks packs) {
        return cache.disk()
                .use(
                        false,
                        () -> {
                            packs.sync();
                            return true;
                        });
    }

    /** Permits a retry after a pause: other versions may free space, or a worker may return. */
    private void tryAgainLater(Digest manifest) {
        int before = failures.merge(manifest, 1, Integer::sum) - 1;
        CompletableFuture.delayedExecutor(pauseMillis(before), TimeUnit.MILLISECONDS)
                .execute(() -> tried.remove(manifest));
    }

    /**
     * @param failuresBefore the failures since the version last stayed complete for longer than the
     *     pause
     */
    private long pauseMillis(int failuresBefore) {
        return backoff.after(failuresBefore + 1).toMillis();
    }

    private boolean bringAll(ManifestRef ref, CachedManifest manifest) throws InterruptedException {
        boolean all = true;
        for (long from = 0; all && from < manifest.chunkCount(); from += BATCH) {
            all = bring(ref, manifest.chunks(from, BATCH));
        }
        return all;
    }

    /** Returns whether all these chunks are cached now. */
    private boolean bring(ManifestRef ref, List<ChunkRef> batch) throws InterruptedException {
        List<Callable<Boolean>> tasks = new ArrayList<>();
        for (ChunkRef chunk : batch) {
            tasks.add(
                    () ->
                            mounted.containsKey(ref.digest())
                                    && cache.complete(ref.digest(), chunk.chunk(), pace));
        }
        boolean all = true;
        for (Future<Boolean> done : chunks.invokeAll(tasks)) {
            try {
                all &= done.get();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof ForebayException failure
                        ? failure
                        : new IllegalStateException(e.getCause());
            }
        }
        return all;
    }

    @Override
    public void close() {
        task.interrupt();
        chunks.shutdownNow();
        task.close(CLOSE_TIMEOUT);
        try {
            boolean _ = chunks.awaitTermination(CLOSE_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
