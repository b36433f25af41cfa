package dev.forebay.operator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The steps from the observed to the declared state.
 *
 * @param first steps for the dataset as a whole
 * @param regions steps for each region, whether the first ones succeed or not
 */
record DatasetPlan(List<PlanStep> first, List<InRegion> regions) {

    DatasetPlan {
        first = List.copyOf(first);
        regions = List.copyOf(regions);
    }

    /**
     * The steps of one region. Regions do not wait for one another.
     *
     * @param release steps before anything new is recorded
     * @param onRecord what the region may hold from then on; null for nothing
     * @param then requests after that
     */
    record InRegion(
            String region,
            List<PlanStep> release,
            @Nullable RegionHolding onRecord,
            List<PlanStep> then) {

        InRegion {
            release = List.copyOf(release);
            then = List.copyOf(then);
        }
    }
}
