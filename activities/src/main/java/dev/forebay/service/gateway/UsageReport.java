package dev.forebay.service.gateway;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a region's chunk stores hold, and for whom.
 *
 * @param capacityBytes of the workers that answered
 * @param usedBytes what the chunks there take
 * @param orphanBytes what of it no mounted version refers to: workers remove it by themselves
 * @param unknown what is not known: workers that did not answer, or do not know yet what they hold
 *     for whom; with it all figures are too small
 * @param versions everything that is mounted
 * @param shares the rest of {@code usedBytes}, by who refers to it
 * @param roomBytes how much room the mounted versions of each namespace take, as admission reckons;
 *     without a namespace of which that is not known, and empty from agents that do not say it
 */
public record UsageReport(
        long capacityBytes,
        long usedBytes,
        long orphanBytes,
        List<String> unknown,
        List<Mounted> versions,
        List<Share> shares,
        Map<String, Long> roomBytes) {

    public UsageReport {
        roomBytes = roomBytes == null ? Map.of() : roomBytes;
    }

    /**
     * A version that is mounted.
     *
     * @param evicting whether it is on its way out
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
     * Bytes of chunks that stay as long as one of their owners does.
     *
     * @param owners places in {@link #versions}
     */
    public record Share(long bytes, List<Integer> owners) {}
}
