package dev.forebay.operator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done so that what is becomes what is declared.
 *
 * @param first of the dataset as a whole
 * @param regions of each region, whether those succeed or not
 */
record Plan(List<Step> first, List<InRegion> regions) {

    Plan {
        first = List.copyOf(first);
        regions = List.copyOf(regions);
    }

    /**
     * Of one region. Regions do not wait for one another.
     *
     * @param release what is let go before anything new is put on record
     * @param onRecord what may be held from then on; null if nothing may
     * @param then what is asked for after that
     */
    record InRegion(
            String region, List<Step> release, @Nullable Holding onRecord, List<Step> then) {

        InRegion {
            release = List.copyOf(release);
            then = List.copyOf(then);
        }
    }
}
