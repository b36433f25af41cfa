package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Remove the version from a region.
 *
 * @param reason why, for people: it stays in the version's history
 * @param onlyIfExpired refuse (with INVALID_ARGUMENT) unless the TTL has passed: what a sweep asks,
 *     whose list may be old
 * @param ifEvictableAt refuse (with INVALID_ARGUMENT) unless the TTL passes at exactly this
 *     instant, for who has used the version since has moved it; absent in requests that do not care
 * @param onlyIfUnwanted refuse (with INVALID_ARGUMENT) while somebody waits for the version there,
 *     or it is being filled; false in requests that knew nothing of it
 */
public record EvictRequest(
        RegionName region,
        String reason,
        boolean onlyIfExpired,
        @Nullable Instant ifEvictableAt,
        boolean onlyIfUnwanted) {

    /** Whoever has used it, or wants it. */
    public EvictRequest(RegionName region, String reason, boolean onlyIfExpired) {
        this(region, reason, onlyIfExpired, null, false);
    }
}
