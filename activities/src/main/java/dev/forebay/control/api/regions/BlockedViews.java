package dev.forebay.control.api.regions;

import dev.forebay.control.api.CauseView;
import dev.forebay.control.catalogue.reports.BlockedCatalogue.BlockedVersion;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The response bodies about BLOCKED versions. */
final class BlockedViews {

    private BlockedViews() {}

    @Schema(name = "BlockedVersion", description = "A version that is BLOCKED in a region")
    record BlockedView(String dataset, String version, String region, CauseView blocked) {

        static BlockedView of(BlockedVersion found) {
            return new BlockedView(
                    found.version().dataset().toString(),
                    found.version().version(),
                    found.region().value(),
                    new CauseView(found.problem().code(), found.problem().message()));
        }
    }

    @Schema(name = "BlockedPage")
    record BlockedPage(List<BlockedView> items, @Nullable String next) {}
}
