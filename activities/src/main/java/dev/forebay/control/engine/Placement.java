package dev.forebay.control.engine;

import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.FillSpeed;
import dev.forebay.workflows.message.Residency;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How good a place a region is for a job that reads a version.
 *
 * @param coverage the part of the version's bytes that is there, 0 to 1; empty if that is not known
 * @param freeBytes how much of the region's stores no mounted version takes; empty if that is not
 *     known
 * @param time until it would be warm; empty if that is not known
 * @param cost of what is missing, from where a filling would take it; empty if no price is stated,
 *     or it is not known what is missing
 * @param gpus how many a job can get there, if somebody has stated it
 * @param reasons why it is where it is among others, in words
 */
public record Placement(
        RegionName region,
        Residency.State state,
        Verdict verdict,
        @Nullable Double coverage,
        @Nullable Long freeBytes,
        FillSpeed.@Nullable Estimate time,
        @Nullable BigDecimal cost,
        @Nullable Integer gpus,
        List<String> reasons) {

    public Placement {
        reasons = List.copyOf(reasons);
    }

    /** What a job would meet there, the best first. */
    public enum Verdict {
        /** All of it is there. */
        WARM,
        /** What is missing would be let in at once. */
        CAN_BE_FILLED,
        /** It would be let in when others have gone that nobody holds. */
        AFTER_EVICTION,
        /** It would have to wait for others that somebody holds, or that are being filled. */
        WAITS,
        /** The region does not answer. */
        UNKNOWN,
        /** It is larger than the region, or its namespace's quota there. */
        REFUSED,
        /** The region has not as many as the job needs. */
        TOO_FEW_GPUS
    }
}
