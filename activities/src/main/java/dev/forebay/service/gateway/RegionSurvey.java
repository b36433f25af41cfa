package dev.forebay.service.gateway;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a region has of a version, and how much room there is for it.
 *
 * @param capacityBytes what the stores of its workers may hold together
 * @param takenBytes how much of that the versions take that are mounted, this one included if it is
 *     one of them
 * @param neededBytes how much more is taken once this version is mounted; 0 if it is; empty if it
 *     has no manifest yet
 * @param missing what of the version is not there; empty if it has no manifest yet
 * @param bytesPerSecond how fast the region has filled lately; empty if that was not measured
 * @param residents the other versions that are mounted
 */
public record RegionSurvey(
        long capacityBytes,
        long takenBytes,
        @Nullable Long neededBytes,
        @Nullable Missing missing,
        @Nullable Long bytesPerSecond,
        List<Resident> residents) {

    /**
     * What of a version is not in the region.
     *
     * @param bytes of its files
     * @param objects files of which something is not there
     * @param lakeRequests how many requests bring it from the lake
     * @param exact whether every worker was asked for this very manifest and has answered; if not,
     *     less may be missing, or, where it shares chunks with other versions, a little more
     */
    public record Missing(long bytes, long objects, long lakeRequests, boolean exact) {}

    /**
     * A version that is mounted.
     *
     * @param version {@code namespace/name@version}
     * @param roomBytes about how much its chunks take, those too that it shares with others
     * @param state WARMING, CACHED or EVICTING
     * @param pins how many pins hold it
     */
    public record Resident(
            String version, long bytes, long objects, long roomBytes, String state, int pins) {}
}
