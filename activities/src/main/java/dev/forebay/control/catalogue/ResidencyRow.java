package dev.forebay.control.catalogue;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.Filling;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** A row of {@code residency}. */
@Embeddable
record ResidencyRow(
        String region,
        String state,
        @Column(name = "bytes_cached") long bytesCached,
        @Column(name = "bytes_from_lake") long bytesFromLake,
        @Nullable String path,
        @Column(name = "cached_at") @Nullable Instant cachedAt,
        @Column(name = "evictable_at") @Nullable Instant evictableAt,
        @Column(name = "blocked_code") @Nullable String blockedCode,
        @Column(name = "blocked_message") @Nullable String blockedMessage,
        @Column(name = "objects_cached") long objectsCached,
        @Column(name = "filling_since") @Nullable Instant fillingSince,
        @Column(name = "filling_bytes") @Nullable Long fillingBytes) {

    static ResidencyRow of(Residency residency) {
        Problem blocked = residency.blocked();
        Filling filling = residency.filling();
        return new ResidencyRow(
                residency.region().value(),
                residency.state().name(),
                residency.bytesCached(),
                residency.bytesFromLake(),
                residency.path(),
                stored(residency.cachedAt()),
                stored(residency.evictableAt()),
                blocked == null ? null : blocked.code().name(),
                blocked == null ? null : blocked.message(),
                residency.objectsCached(),
                filling == null ? null : stored(filling.since()),
                filling == null ? null : filling.bytes());
    }

    /**
     * Returns the residency. The bytes from sibling regions are 0, because only receipts contain
     * them.
     */
    Residency toResidency() {
        return new Residency(
                new RegionName(region),
                Residency.State.valueOf(state),
                bytesCached,
                bytesFromLake,
                path,
                cachedAt,
                evictableAt,
                blockedCode == null
                        ? null
                        : new Problem(
                                ErrorCode.named(blockedCode),
                                blockedMessage == null ? "" : blockedMessage),
                objectsCached,
                fillingSince == null || fillingBytes == null
                        ? null
                        : new Filling(fillingSince, fillingBytes),
                0);
    }

    /**
     * Rounds to microseconds, as PostgreSQL does, so that an unchanged row stays equal to itself.
     */
    static @Nullable Instant stored(@Nullable Instant instant) {
        return instant == null ? null : instant.truncatedTo(ChronoUnit.MICROS);
    }
}
