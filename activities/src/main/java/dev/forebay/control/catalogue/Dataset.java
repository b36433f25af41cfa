package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetName;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A registered dataset.
 *
 * @param ttl what a new version of it begins with: how long it stays in a region unused
 * @param ttlAfter from what that counts
 * @param deletedAt when it was deleted, if it was: it then has no new versions, and those that it
 *     has go as soon as nobody holds them
 */
public record Dataset(
        DatasetName name,
        LakeSource source,
        Duration ttl,
        TtlAfter ttlAfter,
        Instant createdAt,
        @Nullable Instant deletedAt) {

    Dataset undeleted() {
        return new Dataset(name, source, ttl, ttlAfter, createdAt, null);
    }
}
