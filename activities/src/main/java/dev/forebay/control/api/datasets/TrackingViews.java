package dev.forebay.control.api.datasets;

import dev.forebay.control.api.CauseView;
import dev.forebay.control.catalogue.tracking.Tracking;
import dev.forebay.control.tracking.DatasetTracking;
import dev.forebay.model.DatasetVersion;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The response bodies about datasets that follow their source. */
final class TrackingViews {

    private TrackingViews() {}

    @Schema(name = "Tracking", description = "How a dataset follows its source")
    record TrackingView(
            String dataset,
            long intervalSeconds,
            boolean paused,
            Instant createdAt,
            @Schema(description = "Null while it is paused") @Nullable Instant nextCheckAt,
            @Schema(description = "Null until the first is over") @Nullable CheckView lastCheck) {

        static TrackingView of(DatasetTracking.Followed followed) {
            Tracking tracking = followed.tracking();
            return new TrackingView(
                    tracking.dataset().toString(),
                    tracking.interval().toSeconds(),
                    followed.paused(),
                    tracking.createdAt(),
                    followed.nextCheck(),
                    CheckView.of(tracking.last()));
        }
    }

    @Schema(name = "Check", description = "The last look at a source for drift")
    record CheckView(
            Instant checkedAt,
            @Schema(description = "The version that it made; null if nothing has changed")
                    @Nullable String made,
            long objectsChanged,
            long objectsAdded,
            long objectsRemoved,
            @Schema(description = "Why it was given up, if it was") @Nullable CauseView problem) {

        static @Nullable CheckView of(Tracking.@Nullable LastCheck last) {
            if (last == null) {
                return null;
            }
            DatasetVersion made = last.found().made();
            return new CheckView(
                    last.at(),
                    made == null ? null : made.version(),
                    last.found().changed(),
                    last.found().added(),
                    last.found().removed(),
                    CauseView.of(last.problem()));
        }
    }
}
