package dev.forebay.fuse.nodecache;

import dev.forebay.fuse.fs.Manifests;
import dev.forebay.manifest.CachedManifest;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.membership.Mount;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
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
 * Brings versions that are read on this node to its disk as a whole, one after the other, in the
 * background, and knows which are there.
 *
 * <p>Only versions that the region has CACHED, so that it does not fetch from the lake what a
 * filling is about to; and only if they fit into the cache at all. A version of which not all could
 * be had or kept is tried again when it is read after a pause, which doubles each time until it
 * stays for longer than that. Safe for use by many threads.
 */
final class Prewarmer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Prewarmer.class);

    /** How many chunks are brought at once, so from how many workers. */
    private static final int CONCURRENCY = 4;

    private static final int BATCH = 64;

    /** How often to look again when a block was found wrong on the way. */
    private static final int ROUNDS = 3;

    /** How often the pause before a version is tried again is doubled. */
    private static final int DOUBLINGS = 6;

    /** For how long the end waits: a disk that hangs is not waited for. */
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);

    /** A version that was here as a whole when its packs had lost so often. */
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
    private final Pace pace;
    private final Duration retryPause;
    private final Consumer<ManifestRef> complete;
    private final BlockingQueue<ManifestRef> queue = new LinkedBlockingQueue<>();
    private final Set<Digest> tried = ConcurrentHashMap.newKeySet();
    private final Set<Digest> undecided = ConcurrentHashMap.newKeySet();
    private final Map<Digest, Integer> failures = new ConcurrentHashMap<>();
    private final Map<Digest, Whole> whole = new ConcurrentHashMap<>();
    private final ExecutorService chunks =
            Executors.newFixedThreadPool(
                    CONCURRENCY, Thread.ofPlatform().daemon().name("prewarm-chunk-", 0).factory());
    private final Thread thread = Thread.ofPlatform().daemon().name("prewarm").unstarted(this::run);
    private volatile Map<Digest, ManifestRef> mounted = Map.of();

    /**
     * @param bytesPerSecond how fast to fetch at most
     * @param retryPause how long after its first failure a version may be tried again
     * @param complete told, on a thread of this object, that a version is here as a whole
     */
    Prewarmer(
            PackCache cache,
            Manifests manifests,
            long bytesPerSecond,
            Duration retryPause,
            Consumer<ManifestRef> complete) {
        this.cache = cache;
        this.manifests = manifests;
        this.pace = new Pace(bytesPerSecond);
        this.retryPause = retryPause;
        this.complete = complete;
        thread.start();
    }

    /** Takes over the mount table. */
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

    /** Says that a version is being read. Cheap: called for every read. */
    void used(Digest manifest) {
        ManifestRef ref = mounted.get(manifest);
        // Only looked at, as a rule: to add what is there takes a lock.
        if (ref != null && !tried.contains(manifest) && tried.add(manifest)) {
            undecided.add(manifest);
            queue.add(ref);
        }
    }

    /** Tries a version once more. */
    void renew(Digest manifest) {
        tried.remove(manifest);
        used(manifest);
    }

    /**
     * If a mounted version is here as a whole, verified and synced, keeps it here. If it was, and
     * something of it is gone since, it may come again when it is read.
     *
     * @return its packs, to be closed
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
        // One that is held off by somebody's hold is counted for a moment, too.
        if (!known.isStill()) {
            forget(manifest, known);
        }
        return Optional.empty();
    }

    /** Versions that do not fit beside each other must not come and go as fast as they are read. */
    private void forget(Digest manifest, Whole lost) {
        if (!whole.remove(manifest, lost)) {
            // It has come again already.
            return;
        }
        if (lost.ageMillis() < pauseMillis(failures.getOrDefault(manifest, 0))) {
            tryAgainLater(manifest);
        } else {
            failures.remove(manifest);
            tried.remove(manifest);
        }
    }

    /** As {@link NodePacks#isUndecided}. */
    boolean isUndecided(Digest manifest) {
        return undecided.contains(manifest);
    }

    boolean isWhole(Digest manifest) {
        Whole known = whole.get(manifest);
        return known != null && known.isStill();
    }

    /** How many mounted versions are here as a whole. */
    long completeVersions() {
        return whole.values().stream().filter(Whole::isStill).count();
    }

    private void run() {
        try {
            while (true) {
                prewarm(queue.take());
            }
        } catch (InterruptedException closed) {
            // This is the end.
        }
    }

    /** Whatever fails, the next version is brought. */
    private void prewarm(ManifestRef ref) throws InterruptedException {
        try {
            boolean settled = warm(ref);
            undecided.remove(ref.digest());
            if (!settled) {
                tryAgainLater(ref.digest());
            }
        } catch (RuntimeException | Error e) {
            undecided.remove(ref.digest());
            tried.remove(ref.digest());
            LOG.error("Manifest {} is tried again when it is read", ref.digest(), e);
        }
    }

    /** Whether there is nothing to be tried again. */
    private boolean warm(ManifestRef ref) throws InterruptedException {
        if (ref.bytes() > cache.capacityBytes()) {
            LOG.info("Manifest {} is larger than the node cache", ref.digest());
            return true;
        }
        try (CachedManifest manifest = manifests.open(ref);
                HeldPacks packs = cache.hold(ref.digest(), manifest.packs())) {
            for (int round = 0; round < ROUNDS; round++) {
                long losses = PackFile.losses(packs.packs());
                if (!bringAll(ref, manifest)) {
                    LOG.info("Not all of manifest {} can be kept on this node", ref.digest());
                    return false;
                }
                if (!isSynced(packs)) {
                    LOG.info("Manifest {} cannot be synced on this node", ref.digest());
                    return false;
                }
                Whole found = new Whole(packs.packs(), losses, System.nanoTime());
                if (found.isStill()) {
                    whole.put(ref.digest(), found);
                    if (!mounted.containsKey(ref.digest())) {
                        // It left while its packs were synced: nobody counts its losses any more.
                        whole.remove(ref.digest());
                        return true;
                    }
                    complete.accept(ref);
                    return true;
                }
            }
            LOG.warn("Of manifest {} blocks are found wrong again and again", ref.digest());
        } catch (ForebayException e) {
            LOG.warn("Not all of manifest {} can be had: {}", ref.digest(), e.getMessage());
        } catch (RuntimeException | Error e) {
            LOG.error("Prewarming of manifest {} failed", ref.digest(), e);
        }
        return false;
    }

    /** A use of the disk, so that nobody closes the files under it. */
    private boolean isSynced(HeldPacks packs) {
        return cache.disk()
                .use(
                        false,
                        () -> {
                            packs.sync();
                            return true;
                        });
    }

    /** Others may make room, or a worker come back. */
    private void tryAgainLater(Digest manifest) {
        int before = failures.merge(manifest, 1, Integer::sum) - 1;
        CompletableFuture.delayedExecutor(pauseMillis(before), TimeUnit.MILLISECONDS)
                .execute(() -> tried.remove(manifest));
    }

    /**
     * @param failuresBefore those since it stayed here for as long as it would have had to pause
     */
    private long pauseMillis(int failuresBefore) {
        return retryPause.toMillis() << Math.min(failuresBefore, DOUBLINGS);
    }

    private boolean bringAll(ManifestRef ref, CachedManifest manifest) throws InterruptedException {
        boolean all = true;
        for (long from = 0; all && from < manifest.chunkCount(); from += BATCH) {
            all = bring(ref, manifest.chunks(from, BATCH));
        }
        return all;
    }

    /** Whether all these chunks are here now. */
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
        thread.interrupt();
        chunks.shutdownNow();
        try {
            boolean _ = thread.join(CLOSE_PATIENCE);
            boolean _ = chunks.awaitTermination(CLOSE_PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
