package dev.forebay.workflows.message;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A copy that a sweep wants to evict.
 *
 * @param why the reason, for people
 * @param bytes the space that its eviction frees once the victims before it are gone; chunks shared
 *     with versions that stay do not count
 * @param evictableAt when its TTL ends, as the sweep saw it: any later use moves it; absent where
 *     it does not matter
 * @param orphan what the region has mounted, if no version's workflow exists to evict it
 */
public record Victim(
        DatasetVersion version,
        SweepReason reason,
        String why,
        long bytes,
        @Nullable Instant evictableAt,
        @Nullable ManifestRef orphan) {}
