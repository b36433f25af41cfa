package dev.forebay.transfer;

import dev.forebay.model.Digest;
import dev.forebay.placement.WorkerNode;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The workers of a region at some moment.
 *
 * @param registered all that have a place, the basis of placement
 * @param live the ids of those that are up, the basis of fail-over
 * @param replicas how many workers hold each chunk, by manifest; 1 for those that are not in it
 */
public record WorkerSet(
        List<WorkerNode> registered, Set<String> live, Map<Digest, Integer> replicas) {

    /** Of a region where one worker holds each chunk. */
    public WorkerSet(List<WorkerNode> registered, Set<String> live) {
        this(registered, live, Map.of());
    }

    int replicas(Digest manifest) {
        return Math.min(registered.size(), replicas.getOrDefault(manifest, 1));
    }
}
