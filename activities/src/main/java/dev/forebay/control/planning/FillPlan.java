package dev.forebay.control.planning;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.FillSpeed;
import dev.forebay.service.space.SpaceReservation.Decision;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A forecast of a version's fills of regions: missing bytes, sources, admission, duration and cost.
 *
 * @param manifest null if the version is not frozen yet: the figures then describe the lake now
 * @param currency the currency of all costs; null if no price is configured, then there are no
 *     costs
 */
public record FillPlan(
        DatasetVersion version,
        @Nullable ManifestRef manifest,
        @Nullable String currency,
        List<InRegion> regions) {

    /**
     * The forecast for one region.
     *
     * @param needs the missing bytes; null if the region does not report them
     * @param sources where they can come from, the cheapest first
     * @param space the forecast of the admission; null if the region does not report its capacity
     * @param bytesPerSecond the rate at which the region filled large objects lately; null if it
     *     has not filled enough
     * @param time the duration of the fill if nothing else is filled; null if that is not known
     * @param problem why the forecast is incomplete; null if it is complete
     */
    public record InRegion(
            RegionName region,
            Residency.State state,
            @Nullable Needs needs,
            List<Source> sources,
            @Nullable SpaceForecast space,
            @Nullable Long bytesPerSecond,
            FillSpeed.@Nullable Estimate time,
            @Nullable Problem problem) {}

    /**
     * The size of a version and what a region lacks of it.
     *
     * @param bytes the size of all files
     * @param objects the number of all files
     * @param bytesMissing the bytes of files that are missing
     * @param objectsMissing the number of files that are incomplete
     * @param lakeRequests the number of requests that read the missing bytes from the lake
     * @param exact false if these are estimates
     * @param atLeast whether there is more than was counted
     */
    public record Needs(
            long bytes,
            long objects,
            long bytesMissing,
            long objectsMissing,
            long lakeRequests,
            boolean exact,
            boolean atLeast) {}

    /**
     * A source of the missing bytes.
     *
     * @param region the sibling region; null for the lake
     * @param cost the cost of all missing bytes; null if no price is configured
     * @param used whether a fill would use this source
     */
    public record Source(
            Kind kind, @Nullable RegionName region, @Nullable BigDecimal cost, boolean used) {

        /** The kind of a source. */
        public enum Kind {
            LAKE,
            REGION,
            ON_PREMISES
        }
    }

    /**
     * The forecast of the admission.
     *
     * @param neededBytes the capacity that its chunks would take in addition
     * @param takenBytes the capacity that other versions take
     */
    public record SpaceForecast(
            Decision decision, long neededBytes, long takenBytes, long capacityBytes) {}
}
