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
 * A version that waits in a region's queue for space.
 *
 * @param bytes the space that it still needed when it last asked, in bytes
 * @param rank its place among the versions that wait: a lower rank enters first
 * @param since when it began to wait
 * @param steppedAside whether a quota or an absent worker keeps it out, so that no other version
 *     waits behind it
 * @param reason why it waits, for people
 */
public record QueuedVersion(
        DatasetVersion version,
        ManifestRef manifest,
        long bytes,
        int rank,
        Instant since,
        boolean steppedAside,
        String reason) {

    /**
     * Sorts a queue in the order of admission. The rank comes first, then the namespace with the
     * fewest bytes in the region, then the waiting time.
     *
     * @param taken returns the number of bytes that a namespace has in the region
     */
    public static List<QueuedVersion> inOrder(
            List<QueuedVersion> queue, ToLongFunction<String> taken) {
        Map<String, Long> has = new HashMap<>();
        queue.forEach(each -> has.computeIfAbsent(each.namespace(), taken::applyAsLong));
        return queue.stream()
                .sorted(
                        Comparator.comparingInt(QueuedVersion::rank)
                                .thenComparing(each -> has.get(each.namespace()))
                                .thenComparing(QueuedVersion::since)
                                .thenComparing(each -> each.version().path()))
                .toList();
    }

    private String namespace() {
        return version.dataset().namespace();
    }
}
