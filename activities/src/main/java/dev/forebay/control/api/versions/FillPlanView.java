package dev.forebay.control.api.versions;

import dev.forebay.control.api.CauseView;
import dev.forebay.control.planning.FillPlan;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.FillSpeed;
import dev.forebay.service.space.VictimSelection;
import dev.forebay.workflows.message.Residency;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The plan of a fill. */
@Schema(name = "FillPlan", description = "The plan for filling a version into regions")
record FillPlanView(
        String dataset,
        String version,
        @Schema(
                        description =
                                "The manifest, or null for a plan from a listing of the lake, "
                                        + "because the version is not frozen")
                @Nullable ManifestView manifest,
        @Schema(description = "The currency of all costs, or null without prices")
                @Nullable String currency,
        List<InRegionView> regions) {

    static FillPlanView of(FillPlan plan) {
        return new FillPlanView(
                plan.version().dataset().toString(),
                plan.version().version(),
                ManifestView.of(plan.manifest()),
                plan.currency(),
                plan.regions().stream().map(InRegionView::of).toList());
    }

    @Schema(name = "PlanInRegion")
    record InRegionView(
            String region,
            Residency.State state,
            @Schema(description = "Null if the region does not answer") @Nullable NeedsView needs,
            @Schema(description = "Sources of the missing bytes, the cheapest first")
                    List<SourceView> sources,
            @Schema(description = "Null if the region does not answer")
                    @Nullable CapacityView space,
            @Schema(
                            description =
                                    "The recent rate of the region's fills for large objects, in "
                                            + "bytes per second, or null if it filled too little")
                    @Nullable Long bytesPerSecond,
            @Schema(
                            description =
                                    "Estimated seconds after admission if no other fill runs, or "
                                            + "null if unknown")
                    @Nullable Long etaSeconds,
            @Schema(description = "Lower bound, or null if unknown") @Nullable Long etaLeastSeconds,
            @Schema(description = "Upper bound, or null if unknown") @Nullable Long etaMostSeconds,
            @Schema(description = "The reason why some fields are unknown, or null")
                    @Nullable CauseView problem) {

        static InRegionView of(FillPlan.InRegion in) {
            FillSpeed.Estimate time = in.time();
            return new InRegionView(
                    in.region().value(),
                    in.state(),
                    NeedsView.of(in.needs()),
                    in.sources().stream().map(SourceView::of).toList(),
                    CapacityView.of(in.space()),
                    in.bytesPerSecond(),
                    time == null ? null : time.likely().toSeconds(),
                    time == null ? null : time.least().toSeconds(),
                    time == null ? null : time.most().toSeconds(),
                    CauseView.of(in.problem()));
        }
    }

    @Schema(name = "PlanNeeds")
    record NeedsView(
            long bytes,
            long objects,
            long bytesMissing,
            @Schema(description = "Files with missing bytes") long objectsMissing,
            @Schema(description = "GET requests that fetch the missing bytes from the lake")
                    long lakeRequests,
            @Schema(description = "Whether the figures are exact. Otherwise they are estimates")
                    boolean exact,
            @Schema(
                            description =
                                    "The lake has more objects than a plan lists, so the figures "
                                            + "are too low")
                    boolean atLeast) {

        static @Nullable NeedsView of(FillPlan.@Nullable Needs needs) {
            return needs == null
                    ? null
                    : new NeedsView(
                            needs.bytes(),
                            needs.objects(),
                            needs.bytesMissing(),
                            needs.objectsMissing(),
                            needs.lakeRequests(),
                            needs.exact(),
                            needs.atLeast());
        }
    }

    @Schema(name = "PlanSource")
    record SourceView(
            @Schema(enumeration = {"lake", "region", "on_premises"}) String kind,
            @Schema(description = "The region, or null for the lake") @Nullable String region,
            @Schema(
                            description =
                                    "The cost of all missing bytes from this source, or null "
                                            + "without prices")
                    @Nullable BigDecimal cost,
            @Schema(description = "Whether a fill would use this source") boolean used) {

        static SourceView of(FillPlan.Source source) {
            RegionName region = source.region();
            return new SourceView(
                    source.kind().name().toLowerCase(Locale.ROOT),
                    region == null ? null : region.value(),
                    source.cost(),
                    source.used());
        }
    }

    @Schema(name = "PlanSpace")
    record CapacityView(
            @Schema(enumeration = {"admitted", "after_eviction", "waits", "refused"})
                    String admission,
            @Schema(description = "The additional space for its chunks, in bytes") long neededBytes,
            @Schema(description = "The space that present versions use, in bytes") long takenBytes,
            long capacityBytes,
            @Schema(description = "The versions that would be evicted") List<VictimView> victims,
            @Schema(description = "The reason why the version is not admitted at once, or null")
                    @Nullable CauseView problem,
            @Schema(description = "When the pins end that prevent the necessary evictions, or null")
                    @Nullable Instant notBefore) {

        static @Nullable CapacityView of(FillPlan.@Nullable SpaceForecast space) {
            return space == null
                    ? null
                    : new CapacityView(
                            space.decision().admission().name().toLowerCase(Locale.ROOT),
                            space.neededBytes(),
                            space.takenBytes(),
                            space.capacityBytes(),
                            space.decision().victims().stream().map(VictimView::of).toList(),
                            CauseView.of(space.decision().problem()),
                            space.decision().notBefore());
        }
    }

    @Schema(name = "PlanVictim")
    record VictimView(
            String dataset,
            String version,
            long spaceBytes,
            @Schema(description = "Recent requests, at least the last use. Older ones count less")
                    double uses,
            @Nullable BigDecimal refetchCost,
            @Nullable Instant evictableAt) {

        static VictimView of(VictimSelection.Victim victim) {
            return new VictimView(
                    victim.version().dataset().toString(),
                    victim.version().version(),
                    victim.bytes(),
                    victim.candidate().value().uses(),
                    victim.candidate().value().refetchCost(),
                    victim.candidate().evictableAt());
        }
    }
}
