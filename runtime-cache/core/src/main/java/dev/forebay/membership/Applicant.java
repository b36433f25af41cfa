package dev.forebay.membership;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * A version that waits for room in a region.
 *
 * @param bytes how much more room it needed when it last asked
 * @param rank who goes first: less is sooner
 * @param since when it began to wait
 * @param steppedAside whether something but room keeps it out, so that nobody waits behind it
 * @param reason why it waits, for people
 */
public record Applicant(
        DatasetVersion version,
        ManifestRef manifest,
        long bytes,
        int rank,
        Instant since,
        boolean steppedAside,
        String reason) {

    /**
     * In the order in which they are let in: by rank; among equals the namespace that has least in
     * the region, then who has waited longest.
     *
     * @param taken how many bytes a namespace has in the region
     */
    public static List<Applicant> inOrder(List<Applicant> queue, ToLongFunction<String> taken) {
        Map<String, Long> has = new HashMap<>();
        queue.forEach(each -> has.computeIfAbsent(each.namespace(), taken::applyAsLong));
        return queue.stream()
                .sorted(
                        Comparator.comparingInt(Applicant::rank)
                                .thenComparing(each -> has.get(each.namespace()))
                                .thenComparing(Applicant::since)
                                .thenComparing(each -> each.version().path()))
                .toList();
    }

    private String namespace() {
        return version.dataset().namespace();
    }
}
