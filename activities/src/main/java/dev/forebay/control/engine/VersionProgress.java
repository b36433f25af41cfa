package dev.forebay.control.engine;

import dev.forebay.lifecycle.Lifecycle;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.VersionStatus;
import java.util.List;

/**
 * How far the regions are with a version.
 *
 * @param regions in the order of the status
 * @param isCurrent whether that is how things are; else it may be long over
 */
public record VersionProgress(
        VersionStatus status, List<RegionProgress> regions, boolean isCurrent) {

    /** The version. */
    public DatasetVersion version() {
        return status.version();
    }

    /** How far a region is, also if the version was never there. */
    public RegionProgress of(RegionName region) {
        return regions.stream()
                .filter(progress -> progress.residency().region().equals(region))
                .findFirst()
                .orElseGet(
                        () ->
                                RegionProgress.of(
                                        Lifecycle.residency(status, region), status.manifest()));
    }

    /** Whether there is something to wait for, or may be. */
    public boolean isMoving() {
        return !isCurrent || regions.stream().anyMatch(RegionProgress::isMoving);
    }
}
