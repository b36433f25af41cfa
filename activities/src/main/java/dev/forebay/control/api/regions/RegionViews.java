package dev.forebay.control.api.regions;

import dev.forebay.control.api.CauseView;
import dev.forebay.control.regions.Regions;
import dev.forebay.service.gateway.RegionReport;
import java.net.URI;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The response bodies about regions. */
final class RegionViews {

    private RegionViews() {}

    @Schema(name = "Region")
    record RegionView(
            String name,
            @Nullable String mountRoot,
            URI agent,
            @Schema(description = "Whether its agent answers") boolean reachable,
            @Schema(description = "Whether its etcd answers the agent; null if that is not known")
                    @Nullable Boolean etcdReachable,
            @Schema(description = "Why it takes nothing on at the moment")
                    @Nullable CauseView problem,
            List<RegionReport.WorkerReport> workers) {

        static RegionView of(Regions.Reported region) {
            return new RegionView(
                    region.name().value(),
                    region.report().map(RegionReport::mountRoot).orElse(null),
                    region.agent(),
                    region.report().isPresent(),
                    region.report().map(RegionReport::etcdReachable).orElse(null),
                    CauseView.of(region.problem().orElse(null)),
                    region.report().map(RegionReport::workers).orElse(List.of()));
        }
    }

    @Schema(name = "RegionPage")
    record RegionPage(List<RegionView> items, @Nullable String next) {}
}
