package dev.forebay.service.gateway;

import dev.forebay.model.DatasetVersion;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a region has of a version, and how much room there is for it.
 *
 * @param capacityBytes what the stores of its workers may hold together
 * @param knownBytes the same with workers that are away and may come back; empty from agents that
 *     do not say it
 * @param takenBytes how much of that the versions take that are mounted, this one included if it is
 *     one of them
 * @param namespaceBytes how much of that the version's namespace takes; empty if none was named,
 *     and from agents that do not say it
 * @param neededBytes how much more is taken once this version is mounted; 0 if it is; empty if it
 *     has no manifest yet
 * @param countedBytes how much more of its quota the version's namespace takes then: chunks that
 *     other namespaces have already count, too; empty if it has no manifest yet, and from agents
 *     that do not say it
 * @param missing what of the version is not there; empty if it has no manifest yet
 * @param speed how fast the region has filled lately; empty from agents that do not say it
 * @param residents the other versions that are mounted
 * @param queue who waits for room, in the order in which they are let in; empty from agents that
 *     knew of none
 * @param relatives of versions that are mounted, and the one that was asked for, those that have
 *     packs in common, and what they share; empty if that one needs no more room, and from agents
 *     that do not say it
 */
public record RegionSurvey(
        long capacityBytes,
        @Nullable Long knownBytes,
        long takenBytes,
        @Nullable Long namespaceBytes,
        @Nullable Long neededBytes,
        @Nullable Long countedBytes,
        @Nullable Missing missing,
        @Nullable FillSpeed speed,
        List<Resident> residents,
        List<Queued> queue,
        List<Relatives> relatives) {

    public RegionSurvey {
        queue = queue == null ? List.of() : queue;
        relatives = relatives == null ? List.of() : relatives;
    }

    /**
     * The same, with nothing said of these residents: they take room, and cannot be asked to go.
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
     * Versions of any datasets, and how they share their room.
     *
     * @param versions {@code namespace/name@version} of all that are mounted, and of the one that
     *     was asked for
     * @param shares what their chunks take together, by who needs it
     */
    public record Relatives(List<String> versions, List<Share> shares) {}

    /**
     * Bytes of chunks that stay as long as one of their owners does.
     *
     * @param owners places in {@link Relatives#versions}
     */
    public record Share(long bytes, List<Integer> owners) {}

    /**
     * A version that waits for room.
     *
     * @param version {@code namespace/name@version}
     * @param bytes how much more room it needs once those before it have entered
     * @param interactive whether a job waits for it
     * @param steppedAside whether its namespace's quota, or a worker that is away, keeps it out:
     *     nobody waits behind it
     */
    public record Queued(
            String version,
            long bytes,
            boolean interactive,
            Instant since,
            boolean steppedAside,
            String reason) {}

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
     * @param roomBytes about how much its chunks take, those too that it shares with {@link
     *     #relatives}
     * @param state WARMING, CACHED, EVICTING, or UNKNOWN where a later release says another one
     * @param pins how many pins hold it
     */
    public record Resident(
            String version, long bytes, long objects, long roomBytes, String state, int pins) {}
}
