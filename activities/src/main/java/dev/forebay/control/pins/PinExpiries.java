package dev.forebay.control.pins;

import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.VersionStatus;
import java.util.List;

/**
 * Merges the expiries of pins from the workflow and from the catalogue, which alone stores
 * renewals.
 */
public final class PinExpiries {

    private PinExpiries() {}

    /** Returns {@code live} with the expiries of {@code known} where those are later. */
    public static VersionStatus newest(VersionStatus live, VersionStatus known) {
        List<PinGrant> pins = live.pins().stream().map(pin -> newest(pin, known)).toList();
        return new VersionStatus(live.version(), live.manifest(), live.ttl(), live.regions(), pins);
    }

    private static PinGrant newest(PinGrant pin, VersionStatus known) {
        return known.pins().stream()
                .filter(other -> other.id().equals(pin.id()) && other.region().equals(pin.region()))
                .filter(other -> other.expiresAt().isAfter(pin.expiresAt()))
                .findFirst()
                .map(other -> pin.until(other.expiresAt()))
                .orElse(pin);
    }
}
