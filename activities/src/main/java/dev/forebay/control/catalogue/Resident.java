package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.message.Residency;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A version and its residency in a region, in any state except ABSENT.
 *
 * @param pinned whether the catalogue knows a live pin of it in the region
 * @param ttl how long an unused copy stays
 * @param ttlAfter the moment from which the time to live counts
 * @param deletedAt when its dataset was deleted; null if it was not
 */
public record Resident(
        DatasetVersion version,
        @Nullable ManifestRef manifest,
        Residency residency,
        boolean pinned,
        Duration ttl,
        TtlAfter ttlAfter,
        @Nullable Instant deletedAt) {

    /**
     * Returns the bytes of the whole version. Returns the bytes that are in the region if the
     * version is not frozen yet.
     */
    public long bytes() {
        return manifest == null ? residency.bytesCached() : manifest.bytes();
    }

    /** Returns when the copy was last in use; null unless it is CACHED and unpinned. */
    public @Nullable Instant unusedSince() {
        Instant end = residency.evictableAt();
        return end == null ? null : end.minus(ttl);
    }
}
