package dev.forebay.transfer;

import dev.forebay.model.Digest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The content of a worker's chunk store, by the mounted manifests that use it.
 *
 * @param usedBytes the part of {@code capacityBytes} that its chunks take
 * @param complete whether the worker knows the packs of every mounted version; if not, a share
 *     without manifests may belong to a mounted version
 * @param shares all of {@code usedBytes}, by the mounted manifests that refer to it
 * @param readAgo the time since a node last read each mounted manifest from this worker; absent for
 *     a manifest that no node has read
 */
public record WorkerUsage(
        long capacityBytes,
        long usedBytes,
        boolean complete,
        List<Share> shares,
        Map<Digest, Duration> readAgo) {

    /**
     * The chunks of packs that belong to the same manifests.
     *
     * @param manifests the mounted manifests; none for chunks that no mounted version refers to
     */
    public record Share(Set<Digest> manifests, long bytes) {}
}
