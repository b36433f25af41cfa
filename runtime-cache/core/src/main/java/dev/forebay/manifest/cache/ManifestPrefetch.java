package dev.forebay.manifest.cache;

import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.thread.CatchAll;
import dev.forebay.thread.PeriodicTask;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Fetches the manifests of all mounted versions in advance, one after the other. New ones come
 * before those that failed.
 *
 * <p>The first read of a version then does not wait for its manifest. A process that takes over a
 * mount also has the manifests of its predecessor, even if no worker is reachable. Thread-safe.
 */
public final class ManifestPrefetch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ManifestPrefetch.class);

    /** The delay before a failed manifest is retried. */
    private static final Duration RETRY = Duration.ofSeconds(30);

    private final Consumer<ManifestRef> bring;
    private final Duration retry;
    private final PeriodicTask task =
            new PeriodicTask(
                    Thread.ofPlatform().daemon().name("manifests-ahead"),
                    Duration.ZERO,
                    "Cannot fetch manifests in advance",
                    () -> bring(awaitNext()));

    // Guarded by this.
    private Set<ManifestRef> missing = Set.of();

    /**
     * The missing manifests that failed, with the time of the failure; the next one to retry is
     * first.
     */
    private final Map<ManifestRef, Long> failedNanos = new LinkedHashMap<>();

    /** Manifests fetched so far. If the cache evicts one to free space, it is not fetched again. */
    private final Set<Digest> brought = new HashSet<>();

    /**
     * @param bring fetches a manifest unless there is a local copy; its exceptions are logged
     */
    public ManifestPrefetch(Consumer<ManifestRef> bring) {
        this(bring, RETRY);
    }

    ManifestPrefetch(Consumer<ManifestRef> bring, Duration retry) {
        this.bring = bring;
        this.retry = retry;
        task.start();
    }

    /** Replaces the set of wanted manifests. */
    public synchronized void update(Set<ManifestRef> wanted) {
        Set<ManifestRef> mounted = new HashSet<>(wanted);
        brought.retainAll(mounted.stream().map(ManifestRef::digest).collect(Collectors.toSet()));
        mounted.removeIf(ref -> brought.contains(ref.digest()));
        missing = mounted;
        failedNanos.keySet().retainAll(mounted);
        notifyAll();
    }

    /** Waits for the next manifest: one that was not tried yet, or else one whose retry is due. */
    private synchronized ManifestRef awaitNext() throws InterruptedException {
        while (true) {
            for (ManifestRef ref : missing) {
                if (!failedNanos.containsKey(ref)) {
                    return ref;
                }
            }
            if (failedNanos.isEmpty()) {
                wait();
            } else {
                Map.Entry<ManifestRef, Long> first = failedNanos.entrySet().iterator().next();
                long left = first.getValue() + retry.toNanos() - System.nanoTime();
                if (left <= 0) {
                    return first.getKey();
                }
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        }
    }

    private void bring(ManifestRef ref) {
        boolean _ =
                CatchAll.run(
                        () -> {
                            bring.accept(ref);
                            brought(ref);
                        },
                        e -> report(ref, failed(ref), e));
    }

    private synchronized void brought(ManifestRef ref) {
        brought.add(ref.digest());
        missing.remove(ref);
        failedNanos.remove(ref);
    }

    private void report(ManifestRef ref, boolean again, Throwable e) {
        if (e instanceof ForebayException) {
            LOG.atLevel(again || task.isClosing() ? Level.DEBUG : Level.WARN)
                    .log(
                            "Cannot fetch manifest {} in advance yet: {}",
                            ref.digest(),
                            e.getMessage());
        } else {
            LOG.atLevel(task.isClosing() ? Level.DEBUG : Level.ERROR)
                    .setCause(e)
                    .log("Cannot fetch manifest {} in advance", ref.digest());
        }
    }

    /** Records a failure. Returns whether the manifest had failed before. */
    private synchronized boolean failed(ManifestRef ref) {
        boolean again = failedNanos.remove(ref) != null;
        if (missing.contains(ref)) {
            failedNanos.put(ref, System.nanoTime());
        }
        return again;
    }

    /** Stops fetching. The fetch in progress may still complete. */
    @Override
    public void close() {
        task.interrupt();
    }
}
