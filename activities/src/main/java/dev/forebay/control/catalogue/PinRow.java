package dev.forebay.control.catalogue;

import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.PinGrant;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** A row of {@code pin}. */
@Embeddable
record PinRow(
        String region,
        String id,
        String holder,
        String reason,
        @Column(name = "expires_at") Instant expiresAt) {

    static PinRow of(PinGrant pin) {
        return new PinRow(
                pin.region().value(),
                pin.id(),
                pin.holder(),
                pin.reason(),
                pin.expiresAt().truncatedTo(ChronoUnit.MICROS));
    }

    boolean isSamePin(PinRow other) {
        return region.equals(other.region) && id.equals(other.id);
    }

    PinRow until(Instant later) {
        return new PinRow(region, id, holder, reason, later);
    }

    PinGrant toGrant() {
        return new PinGrant(new RegionName(region), id, holder, reason, expiresAt);
    }
}
