package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Request to pin the version in a region.
 *
 * @param id chosen by the client, 1 to 64 characters of {@code A-Z a-z 0-9 . _ -}; the same id and
 *     holder again renew the pin
 * @param holder the holder's name, for people; at most 200 characters. While a pin lives no other
 *     holder can take one with its id
 * @param reason the purpose, for people; at most 200 characters
 * @param lease the lifetime of the pin without renewal, 5 seconds to 7 days
 * @param job the uid of the Kubernetes Job that holds the pin, with the same rule as {@code id};
 *     absent if no Job does
 */
public record PinRequest(
        RegionName region,
        String id,
        String holder,
        String reason,
        Duration lease,
        @Nullable String job) {

    /** A pin for a holder that is no Kubernetes Job. */
    public PinRequest(RegionName region, String id, String holder, String reason, Duration lease) {
        this(region, id, holder, reason, lease, null);
    }

    /** Returns the same pin for another region. */
    public PinRequest in(RegionName other) {
        return new PinRequest(other, id, holder, reason, lease, job);
    }
}
