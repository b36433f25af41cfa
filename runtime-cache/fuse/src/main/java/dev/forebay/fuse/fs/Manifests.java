package dev.forebay.fuse.fs;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.forebay.manifest.CachedManifest;
import dev.forebay.manifest.ManifestCache;
import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import java.time.Duration;

/**
 * The manifests of mounted versions, kept open while they are in use and for a while longer.
 *
 * <p>Safe for use by many threads.
 */
public final class Manifests {

    private static final int MAX_OPEN = 64;
    private static final Duration IDLE = Duration.ofMinutes(10);

    /** How long a reader waits for one: as for bytes of a pack. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

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
     * Opens a manifest, fetching it if it is not here; close what is returned.
     *
     * @throws dev.forebay.model.ForebayException {@code UNAVAILABLE} also if that takes longer than
     *     30 s; it goes on then
     */
    public CachedManifest open(ManifestRef ref) {
        // What the cache holds only keeps the file from being closed between two calls; each call
        // has a hold of its own, which an eviction in between does not end.
        if (open.getIfPresent(ref.digest()) == null) {
            CachedManifest kept = files.open(ref, PATIENCE);
            if (open.asMap().putIfAbsent(ref.digest(), kept) != null) {
                kept.close();
            }
        }
        return files.open(ref, PATIENCE);
    }

    /** Whether a manifest can be opened without fetching it. Does not wait. */
    public boolean isHere(ManifestRef ref) {
        return open.getIfPresent(ref.digest()) != null || files.isHere(ref);
    }

    /** Lets go of a manifest whose version has left the tree. */
    void forget(Digest digest) {
        CachedManifest manifest = open.asMap().remove(digest);
        if (manifest != null) {
            manifest.close();
        }
    }
}
