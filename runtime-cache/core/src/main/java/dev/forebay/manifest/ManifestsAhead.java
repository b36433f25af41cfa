package dev.forebay.manifest;

import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
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
 * Brings the manifests of all mounted versions here before anybody asks for them, one after the
 * other, new ones before those that could not be had: the first read of a version need not wait for
 * its manifest, and a process that takes over a mount knows what its predecessor has shown, whether
 * or not a worker can be asked then. Safe for use by many threads.
 */
public final class ManifestsAhead implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ManifestsAhead.class);

    /** How long to wait before one that could not be had is tried again. */
    private static final Duration RETRY = Duration.ofSeconds(30);

    private final Consumer<ManifestRef> bring;
    private final Duration retry;
    private final Thread thread =
            Thread.ofPlatform().daemon().name("manifests-ahead").unstarted(this::run);

    // Guarded by this.
    private Set<ManifestRef> missing = Set.of();

    /** Those of the missing that could not be had, and when; the one that is due first is first. */
    private final Map<ManifestRef, Long> failedNanos = new LinkedHashMap<>();

    /** Those that are here, or were; what makes room for others is not fetched again. */
    private final Set<Digest> brought = new HashSet<>();

    private volatile boolean closed;

    /**
     * @param bring brings one here, unless it is; what it throws is logged
     */
    public ManifestsAhead(Consumer<ManifestRef> bring) {
        this(bring, RETRY);
    }

    ManifestsAhead(Consumer<ManifestRef> bring, Duration retry) {
        this.bring = bring;
        this.retry = retry;
        thread.start();
    }

    /** These are wanted from now on, and no others. */
    public synchronized void update(Set<ManifestRef> wanted) {
        Set<ManifestRef> mounted = new HashSet<>(wanted);
        brought.retainAll(mounted.stream().map(ManifestRef::digest).collect(Collectors.toSet()));
        mounted.removeIf(ref -> brought.contains(ref.digest()));
        missing = mounted;
        failedNanos.keySet().retainAll(mounted);
        notifyAll();
    }

    private void run() {
        try {
            while (!closed) {
                bring(awaitNext());
            }
        } catch (InterruptedException end) {
            // This is the end.
        }
    }

    /** One that was not tried yet, or else one that is to be tried again. */
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
        try {
            bring.accept(ref);
            synchronized (this) {
                brought.add(ref.digest());
                missing.remove(ref);
                failedNanos.remove(ref);
            }
        } catch (ForebayException e) {
            LOG.atLevel(failed(ref) || closed ? Level.DEBUG : Level.WARN)
                    .log("Manifest {} is not here yet: {}", ref.digest(), e.getMessage());
        } catch (RuntimeException | Error e) {
            LOG.atLevel(closed ? Level.DEBUG : Level.ERROR)
                    .setCause(e)
                    .log("Manifest {} cannot be had ahead of time", ref.digest());
            failed(ref);
        }
    }

    /** Whether it had failed before. */
    private synchronized boolean failed(ManifestRef ref) {
        boolean again = failedNanos.remove(ref) != null;
        if (missing.contains(ref)) {
            failedNanos.put(ref, System.nanoTime());
        }
        return again;
    }

    /** Takes up no other manifest; the one that is being fetched may still come. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
