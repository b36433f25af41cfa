package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.message.Residency;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A version of which a region holds something.
 *
 * @param pinned whether the catalogue knows of a pin there whose lease has not passed
 * @param ttl how long a copy stays unused
 * @param ttlAfter from what that counts
 * @param deletedAt when its dataset was deleted, if it was
 */
public record Resident(
        DatasetVersion version,
        @Nullable ManifestRef manifest,
        Residency residency,
        boolean pinned,
        Duration ttl,
        TtlAfter ttlAfter,
        @Nullable Instant deletedAt) {

    /** The bytes of the whole version, or what is there of one that is not listed yet. */
    public long bytes() {
        return manifest == null ? residency.bytesCached() : manifest.bytes();
    }

    /** When it was last handed out or held, if it is CACHED and nobody holds it. */
    public @Nullable Instant unusedSince() {
        Instant end = residency.evictableAt();
        return end == null ? null : end.minus(ttl);
    }
}
