package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.time.Duration;

/**
 * Hold the version in a region.
 *
 * @param id chosen by the caller, 1 to 64 characters of {@code A-Z a-z 0-9 . _ -}; the same id and
 *     holder again renew
 * @param holder who holds it, for people; at most 200 characters. While a pin lives nobody else can
 *     take one with its id
 * @param reason what for, for people; at most 200 characters
 * @param lease how long the pin lives without renewal, 5 seconds to 7 days
 */
public record PinRequest(
        RegionName region, String id, String holder, String reason, Duration lease) {

    /** The same pin in another region. */
    public PinRequest in(RegionName other) {
        return new PinRequest(other, id, holder, reason, lease);
    }
}
