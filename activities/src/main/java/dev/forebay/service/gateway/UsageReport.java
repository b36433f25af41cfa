package dev.forebay.service.gateway;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of a region's chunk stores, by versions.
 *
 * @param capacityBytes of the workers that answered
 * @param usedBytes the bytes of all chunks there
 * @param orphanBytes the part of it that no mounted version refers to; workers remove it
 * @param unknown why all figures are too small: workers that did not answer, or that do not know
 *     the owners of their chunks
 * @param versions all mounted versions
 * @param shares the rest of {@code usedBytes}, by owners
 * @param spaceBytes the space of each namespace's mounted versions, as admission counts it; without
 *     namespaces for which it is not known
 */
public record UsageReport(
        long capacityBytes,
        long usedBytes,
        long orphanBytes,
        List<String> unknown,
        List<Mounted> versions,
        List<Share> shares,
        Map<String, Long> spaceBytes) {

    /**
     * A mounted version.
     *
     * @param evicting whether it is being evicted
     * @param pinned whether a pin is alive on it
     * @param secondsSinceRead how long ago a node last read it from a worker; empty if none ever
     *     did
     */
    public record Mounted(
            DatasetVersion version,
            ManifestRef manifest,
            boolean evicting,
            boolean pinned,
            @Nullable Long secondsSinceRead) {}

    /**
     * Bytes of chunks that stay while one of their owners does.
     *
     * @param owners indexes into {@link #versions}
     */
    public record Share(long bytes, List<Integer> owners) {}
}
