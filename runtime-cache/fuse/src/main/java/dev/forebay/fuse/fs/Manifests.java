package dev.forebay.fuse.fs;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.forebay.manifest.cache.CachedManifest;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import java.time.Duration;

/**
 * Keeps the manifests of mounted versions open while they are in use, and for 10 minutes after
 * that.
 *
 * <p>Thread-safe.
 */
public final class Manifests {

    private static final int MAX_OPEN = 64;
    private static final Duration IDLE = Duration.ofMinutes(10);

    /** The timeout of a reader that waits for a manifest, the same as for bytes of a pack. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final ManifestCache files;
    private final Cache<Digest, CachedManifest> open =
            Caffeine.newBuilder()
                    .maximumSize(MAX_OPEN)
                    .expireAfterAccess(IDLE)
                    .<Digest, CachedManifest>evictionListener(
                            (_, manifest, _) -> {
                                if (manifest != null) {
                                    manifest.close();
                                }
                            })
                    .build();

    public Manifests(ManifestCache files) {
        this.files = files;
    }

    /**
     * Opens a manifest, and fetches it first if it is not on this node. The caller closes the
     * result.
     *
     * @throws dev.forebay.model.ForebayException for instance {@code UNAVAILABLE} after 30 s; the
     *     fetch then continues in the background
     */
    public CachedManifest open(ManifestRef ref) {
        // The entry in the cache only keeps the file open between two calls. Each call opens the
        // manifest once more, so an eviction from the cache does not close it.
        if (open.getIfPresent(ref.digest()) == null) {
            CachedManifest kept = files.open(ref, TIMEOUT);
            if (open.asMap().putIfAbsent(ref.digest(), kept) != null) {
                kept.close();
            }
        }
        return files.open(ref, TIMEOUT);
    }

    /** Returns whether a manifest can be opened without fetching it. Never blocks. */
    public boolean isHere(ManifestRef ref) {
        return open.getIfPresent(ref.digest()) != null || files.isHere(ref);
    }

    /** Closes a manifest whose version has left the tree. */
    void forget(Digest digest) {
        CachedManifest manifest = open.asMap().remove(digest);
        if (manifest != null) {
            manifest.close();
        }
    }
}
