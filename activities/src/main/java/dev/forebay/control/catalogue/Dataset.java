package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetName;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A registered dataset.
 *
 * @param ttl the default time to live of its new versions
 * @param ttlAfter the moment from which the time to live counts
 * @param deletedAt when the dataset was deleted; null if it was not. A deleted dataset gets no new
 *     versions, and sweeps evict its versions once no pin protects them
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
