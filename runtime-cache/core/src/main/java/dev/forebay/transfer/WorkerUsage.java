package dev.forebay.transfer;

import dev.forebay.model.Digest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a worker's chunk store holds, and for whom.
 *
 * @param usedBytes how much of {@code capacityBytes} its chunks take
 * @param complete whether the worker knows the packs of every mounted version; else what it takes
 *     for nobody's may be somebody's
 * @param shares all of {@code usedBytes}, by the mounted manifests that refer to it
 * @param readAgo how long ago each mounted manifest was last read from this worker by a node; one
 *     that never was is not there
 */
public record WorkerUsage(
        long capacityBytes,
        long usedBytes,
        boolean complete,
        List<Share> shares,
        Map<Digest, Duration> readAgo) {

    /**
     * Chunks of packs that all have the same owners.
     *
     * @param manifests the owners; none for what no mounted version refers to
     */
    public record Share(Set<Digest> manifests, long bytes) {}
}
