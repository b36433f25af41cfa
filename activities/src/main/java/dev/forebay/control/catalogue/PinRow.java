package dev.forebay.control.catalogue;

import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.PinGrant;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** A row of {@code pin}. */
@Embeddable
record PinRow(
        String region,
        String id,
        String holder,
        String reason,
        @Column(name = "expires_at") Instant expiresAt,
        @Nullable String job,
        @Column(name = "taken_at") @Nullable Instant takenAt) {

    static PinRow of(PinGrant pin) {
        return new PinRow(
                pin.region().value(),
                pin.id(),
                pin.holder(),
                pin.reason(),
                pin.expiresAt().truncatedTo(ChronoUnit.MICROS),
                pin.job(),
                pin.takenAt() == null ? null : pin.takenAt().truncatedTo(ChronoUnit.MICROS));
    }

    boolean isSamePin(PinRow other) {
        return region.equals(other.region) && id.equals(other.id);
    }

    /** Returns this pin merged with the row that is known: the later expiry wins. */
    PinRow after(PinRow known) {
        return new PinRow(
                region,
                id,
                holder,
                reason,
                known.expiresAt.isAfter(expiresAt) ? known.expiresAt : expiresAt,
                job,
                takenAt == null ? known.takenAt : takenAt);
    }

    PinGrant toGrant() {
        return new PinGrant(new RegionName(region), id, holder, reason, expiresAt, job, takenAt);
    }
}
