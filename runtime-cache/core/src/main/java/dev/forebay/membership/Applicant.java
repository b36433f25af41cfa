package dev.forebay.membership;

import dev.forebay.model.DatasetVersion;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A version that waits for room in a region.
 *
 * @param bytes how much more room it needs
 * @param rank who goes first: less is sooner
 * @param since when it began to wait
 * @param steppedAside whether something but room keeps it out, so that nobody waits behind it
 * @param reason why it waits, for people
 */
public record Applicant(
        DatasetVersion version,
        long bytes,
        int rank,
        Instant since,
        boolean steppedAside,
        String reason) {

    /**
     * In the order in which they are let in: by rank; among equals the namespace that has least in
     * the region, then who has waited longest.
     *
     * @param mounts what the region has
     */
    public static List<Applicant> inOrder(List<Applicant> queue, List<Mount> mounts) {
        Map<String, Long> taken =
                mounts.stream()
                        .collect(
                                Collectors.groupingBy(
                                        mount -> mount.version().dataset().namespace(),
                                        Collectors.summingLong(
                                                mount -> mount.manifest().roomBytes())));
        return queue.stream()
                .sorted(
                        Comparator.comparingInt(Applicant::rank)
                                .thenComparingLong(each -> taken.getOrDefault(each.namespace(), 0L))
                                .thenComparing(Applicant::since)
                                .thenComparing(each -> each.version().path()))
                .toList();
    }

    private String namespace() {
        return version.dataset().namespace();
    }
}
