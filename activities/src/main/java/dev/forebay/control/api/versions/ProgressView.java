package dev.forebay.control.api.versions;

import dev.forebay.control.api.CauseView;
import dev.forebay.control.progress.RegionProgress;
import dev.forebay.lifecycle.Pace;
import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.message.Residency;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The progress of a version in one region. */
@Schema(name = "Progress", description = "bytes and objects are null until the version is listed")
record ProgressView(
        String region,
        Residency.State state,
        @Schema(description = "Rounded down; 100 only if the region is CACHED") int percent,
        long bytesCached,
        @Nullable Long bytes,
        long objectsCached,
        @Nullable Long objects,
        @Schema(
                        description =
                                "On the average since the filling began; null if it has not, or is over")
                @Nullable Long bytesPerSecond,
        @Schema(description = "At that pace") @Nullable Long etaSeconds,
        @Schema(description = "Failed attempts of what is under way") int failed,
        @Schema(description = "Why it was given up, and what to do") @Nullable CauseView blocked,
        @Schema(description = "What it waits for, or how the last attempt failed")
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
                progress.pace().map(Pace::bytesPerSecond).orElse(null),
                progress.pace().map(pace -> pace.left().toSeconds()).orElse(null),
                progress.work().failed(),
                CauseView.of(progress.residency().blocked()),
                CauseView.of(progress.work().waiting()));
    }
}
