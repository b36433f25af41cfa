package dev.forebay.control.api.versions;

import dev.forebay.control.api.CauseView;
import dev.forebay.control.progress.RegionProgress;
import dev.forebay.lifecycle.FillEstimate;
import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.message.Residency;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The progress of a version in one region. */
@Schema(
        name = "Progress",
        description =
                "The progress of a version. bytes and objects are null until the version "
                        + "is listed")
record ProgressView(
        String region,
        Residency.State state,
        @Schema(description = "Rounded down. 100 only if the version is CACHED in the region")
                int percent,
        long bytesCached,
        @Nullable Long bytes,
        long objectsCached,
        @Nullable Long objects,
        @Schema(description = "Average since the start of the fill, or null if no fill runs")
                @Nullable Long bytesPerSecond,
        @Schema(description = "Remaining seconds at this rate, or null if unknown")
                @Nullable Long etaSeconds,
        @Schema(description = "Failed attempts of the current operation") int failed,
        @Schema(description = "The problem that stopped it, and the remedy")
                @Nullable CauseView blocked,
        @Schema(description = "What it waits for, or how the last attempt failed, or null")
                @Nullable CauseView waiting) {

    static ProgressView of(RegionProgress progress) {
        ManifestRef manifest = progress.manifest();
        return new ProgressView(
                progress.residency().region().value(),
                progress.residency().state(),
                progress.percent(),
                progress.bytes(),
                manifest == null ? null : manifest.bytes(),
                progress.objects(),
                manifest == null ? null : manifest.objects(),
                progress.pace().map(FillEstimate::bytesPerSecond).orElse(null),
                progress.pace().map(pace -> pace.left().toSeconds()).orElse(null),
                progress.work().failed(),
                CauseView.of(progress.residency().blocked()),
                CauseView.of(progress.work().waiting()));
    }
}
