package dev.forebay.control.api.datasets;

import dev.forebay.control.api.CauseView;
import dev.forebay.control.catalogue.tracking.Tracking;
import dev.forebay.model.DatasetVersion;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The last check of the source of a dataset that follows it. */
@Schema(name = "Check", description = "The last check of a source for drift")
record CheckView(
        Instant checkedAt,
        @Schema(description = "The version that the check created, or null if nothing changed")
                @Nullable String made,
        long objectsChanged,
        long objectsAdded,
        long objectsRemoved,
        @Schema(description = "The problem that ended the check, or null")
                @Nullable CauseView problem) {

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
