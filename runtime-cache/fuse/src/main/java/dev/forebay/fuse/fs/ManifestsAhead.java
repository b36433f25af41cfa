package dev.forebay.fuse.fs;

import dev.forebay.manifest.CachedManifest;
import dev.forebay.membership.Mount;
import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the manifests of all mounted versions to this node before anybody asks for them, one after
 * the other. A process that takes over a mount has to know what its predecessor has shown, whether
 * or not a worker can be asked then. Safe for use by many threads.
 */
public final class ManifestsAhead implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ManifestsAhead.class);

    /** How long to wait before those that could not be had are tried again. */
    private static final Duration RETRY = Duration.ofSeconds(30);

    private final Manifests manifests;
    private final Duration retry;
    private final Thread thread =
            Thread.ofPlatform().daemon().name("manifests-ahead").unstarted(this::run);

    // Guarded by this.
    private Set<ManifestRef> missing = Set.of();

    /** Those that are here, or were; what makes room for others is not fetched again. */
    private final Set<Digest> brought = new HashSet<>();

    public ManifestsAhead(Manifests manifests) {
        this(manifests, RETRY);
    }

    ManifestsAhead(Manifests manifests, Duration retry) {
        this.manifests = manifests;
        this.retry = retry;
        thread.start();
    }

    /** Takes over the mount table. */
    public synchronized void update(List<Mount> mounts) {
        Set<ManifestRef> mounted =
                mounts.stream()
                        .filter(mount -> mount.state() != Mount.State.EVICTING)
                        .map(Mount::manifest)
                        .collect(Collectors.toSet());
        brought.retainAll(mounted.stream().map(ManifestRef::digest).collect(Collectors.toSet()));
        mounted.removeIf(ref -> brought.contains(ref.digest()));
        missing = mounted;
        notifyAll();
    }

    private void run() {
        try {
            while (true) {
                boolean all = true;
                for (ManifestRef ref : awaitMissing()) {
                    all &= bring(ref);
                }
                if (!all) {
                    Thread.sleep(retry);
                }
            }
        } catch (InterruptedException closed) {
            // This is the end.
        }
    }

    private synchronized Set<ManifestRef> awaitMissing() throws InterruptedException {
        while (missing.isEmpty()) {
            wait();
        }
        return Set.copyOf(missing);
    }

    private boolean bring(ManifestRef ref) {
        try (CachedManifest _ = manifests.open(ref)) {
            synchronized (this) {
                brought.add(ref.digest());
                missing.remove(ref);
            }
            return true;
        } catch (RuntimeException e) {
            LOG.warn("Manifest {} cannot be had ahead of time: {}", ref.digest(), e.getMessage());
            return false;
        }
    }

    /** Takes up no other manifest; the one that is being fetched may still come. */
    @Override
    public void close() {
        thread.interrupt();
    }
}
