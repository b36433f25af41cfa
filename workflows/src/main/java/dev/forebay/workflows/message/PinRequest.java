package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Hold the version in a region.
 *
 * @param id chosen by the caller, 1 to 64 characters of {@code A-Z a-z 0-9 . _ -}; the same id and
 *     holder again renew
 * @param holder who holds it, for people; at most 200 characters. While a pin lives nobody else can
 *     take one with its id
 * @param reason what for, for people; at most 200 characters
 * @param lease how long the pin lives without renewal, 5 seconds to 7 days
 * @param job the uid of the Kubernetes Job that holds it, 1 to 64 characters as an id's, if one
 *     does
 */
public record PinRequest(
        RegionName region,
        String id,
        String holder,
        String reason,
        Duration lease,
        @Nullable String job) {

    /** For nobody whose end can be seen. */
    public PinRequest(RegionName region, String id, String holder, String reason, Duration lease) {
        this(region, id, holder, reason, lease, null);
    }

    /** The same pin in another region. */
    public PinRequest in(RegionName other) {
        return new PinRequest(other, id, holder, reason, lease, job);
    }
}
