package dev.forebay.transfer;

import dev.forebay.model.Digest;
import dev.forebay.placement.WorkerNode;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The workers of a region at some moment.
 *
 * @param registered all registered workers, the basis of placement
 * @param live the ids of the live workers, the basis of fail-over
 * @param replicas the number of workers that hold each chunk, by manifest; 1 for all other
 *     manifests
 */
public record WorkerSet(
        List<WorkerNode> registered, Set<String> live, Map<Digest, Integer> replicas) {

    /** Creates the set of a region where one worker holds each chunk. */
    public WorkerSet(List<WorkerNode> registered, Set<String> live) {
        this(registered, live, Map.of());
    }

    int replicas(Digest manifest) {
        return Math.min(registered.size(), replicas.getOrDefault(manifest, 1));
    }
}
