package dev.forebay.control.planning;

import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.FillSpeed;
import dev.forebay.workflows.message.Residency;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rating of a region for a job that reads a version.
 *
 * @param coverage the fraction of the version's bytes in the region, 0 to 1; null if that is not
 *     known
 * @param freeBytes the capacity of the region that no mounted version takes; null if that is not
 *     known
 * @param time the time until the version is complete there; null if that is not known
 * @param cost the cost of the missing bytes, from the source that a fill would use; null if no
 *     price is configured, or the missing bytes are not known
 * @param gpus the maximum number of GPUs of a job there; null if it is not configured
 * @param reasons why the region has its rank, in words
 */
public record RegionRating(
        RegionName region,
        Residency.State state,
        Verdict verdict,
        @Nullable Double coverage,
        @Nullable Long freeBytes,
        FillSpeed.@Nullable Estimate time,
        @Nullable BigDecimal cost,
        @Nullable Integer gpus,
        List<String> reasons) {

    public RegionRating {
        reasons = List.copyOf(reasons);
    }

    /** The outlook for a job in a region, the best first. */
    public enum Verdict {
        /** The region has the whole version. */
        WARM,
        /** The region would admit the missing bytes at once. */
        CAN_BE_FILLED,
        /** The region would admit it after it has evicted unpinned versions. */
        AFTER_EVICTION,
        /** It would have to wait for versions that are pinned or being filled. */
        WAITS,
        /** The region does not answer. */
        UNKNOWN,
        /** It is larger than the region, or than the quota of its namespace. */
        REFUSED,
        /** The region has fewer GPUs than the job needs. */
        TOO_FEW_GPUS
    }
}
