package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Request to remove the version from a region.
 *
 * @param reason why, for people; stays in the version's history
 * @param onlyIfExpired refuse (with INVALID_ARGUMENT) unless the TTL has ended; set by sweeps,
 *     whose list may be old
 * @param ifEvictableAt refuse (with INVALID_ARGUMENT) unless the TTL ends at exactly this instant:
 *     any later use of the version moves it; absent in requests without this condition
 * @param onlyIfUnwanted refuse (with INVALID_ARGUMENT) while a client waits for the version there
 *     or the version is being filled
 */
public record EvictRequest(
        RegionName region,
        String reason,
        boolean onlyIfExpired,
        @Nullable Instant ifEvictableAt,
        boolean onlyIfUnwanted) {

    /** An eviction that ignores later use of the version and waiting clients. */
    public EvictRequest(RegionName region, String reason, boolean onlyIfExpired) {
        this(region, reason, onlyIfExpired, null, false);
    }
}
