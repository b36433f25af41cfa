package dev.forebay.control.engine;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.FillSpeed;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What it would take to have a version in regions, as far as can be told beforehand.
 *
 * @param manifest empty if the version is not frozen yet: the figures are then those of the lake at
 *     this moment
 * @param currency of all costs; empty if no price is stated, and then no cost is told
 */
public record Plan(
        DatasetVersion version,
        @Nullable ManifestRef manifest,
        @Nullable String currency,
        List<InRegion> regions) {

    /**
     * What it would take in one region.
     *
     * @param needs what would have to come; empty if the region does not answer
     * @param sources where it can come from, the cheapest first
     * @param room whether there is room; empty if the region does not answer
     * @param bytesPerSecond how fast the region has filled large objects lately; empty if it has
     *     not filled enough to tell
     * @param time how long it would take, with nothing else being filled; empty if that is not
     *     known
     * @param problem why less is known than could be
     */
    public record InRegion(
            RegionName region,
            Residency.State state,
            @Nullable Needs needs,
            List<Source> sources,
            @Nullable Room room,
            @Nullable Long bytesPerSecond,
            FillSpeed.@Nullable Estimate time,
            @Nullable Problem problem) {}

    /**
     * What would have to come.
     *
     * @param bytes of all files
     * @param objects all files
     * @param bytesMissing of files, not there
     * @param objectsMissing files of which something is not there
     * @param lakeRequests how many requests bring it from the lake
     * @param exact if not, these are estimates
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
     * Where bytes can come from.
     *
     * @param region which one, if it is not the lake
     * @param cost of all that is missing; empty if no price is stated
     * @param used whether a filling would take them from there
     */
    public record Source(
            Kind kind, @Nullable RegionName region, @Nullable BigDecimal cost, boolean used) {

        /** What kind of place. */
        public enum Kind {
            LAKE,
            REGION,
            ON_PREMISES
        }
    }

    /**
     * Whether there is room.
     *
     * @param neededBytes how much more its chunks would take
     * @param takenBytes how much versions take that are there
     * @param victims what would be evicted first
     * @param problem why it is not admitted at once, if it is not
     * @param notBefore when pins end that would have to, if nobody renews them
     */
    public record Room(
            Admission admission,
            long neededBytes,
            long takenBytes,
            long capacityBytes,
            List<Victim> victims,
            @Nullable Problem problem,
            @Nullable Instant notBefore) {}

    /** Whether a region takes a version. */
    public enum Admission {
        /** It is there, or there is room. */
        ADMITTED,
        /** There is room when others have gone that nobody holds. */
        AFTER_EVICTION,
        /** There is room when others have gone that somebody holds, or that are being filled. */
        WAITS,
        /** It is larger than the region. */
        REFUSED
    }

    /**
     * A version that would go.
     *
     * @param roomBytes about how much room that makes, once those before it have gone: what several
     *     share comes with the last
     * @param uses how often it is expected to be asked for again
     * @param refetchCost what it would cost to have it again; empty if no price is stated
     * @param evictableAt when its time to live passes; empty if that is not known
     */
    public record Victim(
            DatasetVersion version,
            long roomBytes,
            double uses,
            @Nullable BigDecimal refetchCost,
            @Nullable Instant evictableAt) {}
}
