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
 * @param pinnedUntil when its last pin in the region ends without a renewal; null if the catalogue
 *     knows no live pin
 * @param ttl how long an unused copy stays
 * @param ttlAfter the moment from which the time to live counts
 * @param deletedAt when its dataset was deleted; null if it was not
 */
public record Resident(
        DatasetVersion version,
        @Nullable ManifestRef manifest,
        Residency residency,
        @Nullable Instant pinnedUntil,
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

    /** Returns whether the catalogue knows a live pin of it in the region. */
    public boolean isPinned() {
        return pinnedUntil != null;
    }

    /**
     * Returns whether its time to live has ended.
     *
     * @param readAgo how long ago a node last read it; null if none did, or that is not known
     */
    public boolean isExpired(Instant at, @Nullable Duration readAgo) {
        Instant end = residency.evictableAt();
        boolean isKeptByRead =
                ttlAfter == TtlAfter.READ && readAgo != null && readAgo.compareTo(ttl) < 0;
        return end != null && !end.isAfter(at) && !isKeptByRead;
    }

    /**
     * Returns when the copy was last in use: pinned, requested or read. Null if that is not known.
     *
     * @param readAgo as for {@link #isExpired}
     */
    public @Nullable Instant usedAt(Instant at, @Nullable Duration readAgo) {
        Instant held = unusedSince();
        Instant read = readAgo == null ? null : at.minus(readAgo);
        return held == null || (read != null && read.isAfter(held)) ? read : held;
    }

    /**
     * Returns when the copy was last pinned or requested; null unless it is CACHED and unpinned.
     */
    public @Nullable Instant unusedSince() {
        Instant end = residency.evictableAt();
        return end == null ? null : end.minus(ttl);
    }
}
