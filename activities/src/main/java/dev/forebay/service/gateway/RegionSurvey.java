package dev.forebay.service.gateway;

import dev.forebay.model.DatasetVersion;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An agent's report on a version in its region: the missing parts, the space, and the versions that
 * compete for it.
 *
 * @param capacityBytes the capacity of its workers together
 * @param knownBytes the same with workers that are away and may return
 * @param takenBytes the space of all mounted versions, including this one if it is mounted
 * @param namespaceBytes the space of the version's namespace; empty if none was named
 * @param neededBytes the additional space if this version is mounted; 0 if it is; empty if it has
 *     no manifest yet
 * @param countedBytes how much more of its quota the namespace then uses, including chunks that
 *     other namespaces have already; empty without a manifest
 * @param missing the parts of the version that the region lacks; empty if it has no manifest yet
 * @param speed how fast the region has filled recently
 * @param residents the other mounted versions
 * @param queue the versions that wait for space, in the order of admission
 * @param relatives families of versions that share packs, among the mounted ones and the requested
 *     one; empty if no more space is needed
 */
public record RegionSurvey(
        long capacityBytes,
        long knownBytes,
        long takenBytes,
        @Nullable Long namespaceBytes,
        @Nullable Long neededBytes,
        @Nullable Long countedBytes,
        @Nullable Missing missing,
        FillSpeed speed,
        List<Resident> residents,
        List<Queued> queue,
        List<Relatives> relatives) {

    /**
     * Returns the same survey without these residents. They still take space but cannot be evicted.
     */
    public RegionSurvey without(Set<DatasetVersion> spared) {
        Set<String> names =
                spared.stream().map(DatasetVersion::toString).collect(Collectors.toSet());
        return new RegionSurvey(
                capacityBytes,
                knownBytes,
                takenBytes,
                namespaceBytes,
                neededBytes,
                countedBytes,
                missing,
                speed,
                residents.stream().filter(each -> !names.contains(each.version())).toList(),
                queue,
                relatives);
    }

    /**
     * Versions of any datasets that share space.
     *
     * @param versions {@code namespace/name@version} of the mounted ones and the requested one
     * @param shares the space of their chunks, by owners
     */
    public record Relatives(List<String> versions, List<Share> shares) {}

    /**
     * Bytes of chunks that stay while one of their owners does.
     *
     * @param owners indexes into {@link Relatives#versions}
     */
    public record Share(long bytes, List<Integer> owners) {}

    /**
     * A version that waits for space.
     *
     * @param version {@code namespace/name@version}
     * @param bytes the space that it still needs after the admission of those before it
     * @param interactive whether a job waits for it
     * @param steppedAside whether its namespace's quota or an absent worker blocks it; later
     *     versions then pass it
     */
    public record Queued(
            String version,
            long bytes,
            boolean interactive,
            Instant since,
            boolean steppedAside,
            String reason) {}

    /**
     * The parts of the version that the region lacks.
     *
     * @param bytes of its files
     * @param objects files that are not complete
     * @param lakeRequests how many requests fetch it from the lake
     * @param exact whether every worker has answered for this very manifest; otherwise less may be
     *     missing, or slightly more where versions share chunks
     */
    public record Missing(long bytes, long objects, long lakeRequests, boolean exact) {}

    /**
     * A mounted version.
     *
     * @param version {@code namespace/name@version}
     * @param spaceBytes roughly the space of its chunks, including those shared with {@link
     *     #relatives}
     * @param state WARMING, CACHED, EVICTING, or UNKNOWN for a state of a later release
     * @param pins the number of pins on it
     */
    public record Resident(
            String version, long bytes, long objects, long spaceBytes, String state, int pins) {}
}
