package dev.forebay.workflows.message;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A copy that a sweep wants removed.
 *
 * @param why for people
 * @param bytes what its removal frees, once the victims before it are gone: what versions that stay
 *     share with it stays
 * @param evictableAt when its TTL passes, as the sweep saw it: whoever has used it since has moved
 *     that; absent where it does not matter
 * @param orphan what the region has mounted, if no version's workflow can be asked to remove it
 */
public record Victim(
        DatasetVersion version,
        SweepReason reason,
        String why,
        long bytes,
        @Nullable Instant evictableAt,
        @Nullable ManifestRef orphan) {}
