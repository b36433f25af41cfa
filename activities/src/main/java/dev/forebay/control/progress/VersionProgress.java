package dev.forebay.control.progress;

import dev.forebay.lifecycle.Lifecycle;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.VersionStatus;
import java.util.List;

/**
 * The progress of a version in its regions.
 *
 * @param regions in the order of the status
 * @param isCurrent whether the status is current; if not, it may be long outdated
 */
public record VersionProgress(
        VersionStatus status, List<RegionProgress> regions, boolean isCurrent) {

    /** Returns the version. */
    public DatasetVersion version() {
        return status.version();
    }

    /** Returns the progress of a region, even if the version was never there. */
    public RegionProgress of(RegionName region) {
        return regions.stream()
                .filter(progress -> progress.residency().region().equals(region))
                .findFirst()
                .orElseGet(
                        () ->
                                RegionProgress.of(
                                        Lifecycle.residency(status, region), status.manifest()));
    }

    /** Returns whether a region makes progress, or may. */
    public boolean isMoving() {
        return !isCurrent || regions.stream().anyMatch(RegionProgress::isMoving);
    }
}
