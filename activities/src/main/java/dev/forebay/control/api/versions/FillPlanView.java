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
@Schema(name = "FillPlan", description = "What it would take to have a version in regions")
record FillPlanView(
        String dataset,
        String version,
        @Schema(description = "Null if it is not frozen yet: then the lake was listed")
                @Nullable ManifestView manifest,
        @Schema(description = "Of all costs; null if no price is stated") @Nullable String currency,
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
            @Schema(description = "Where the missing bytes can come from, the cheapest first")
                    List<SourceView> sources,
            @Schema(description = "Null if the region does not answer") @Nullable CapacityView room,
            @Schema(
                            description =
                                    "How fast the region has filled large objects lately; null if it has not filled enough to tell")
                    @Nullable Long bytesPerSecond,
            @Schema(
                            description =
                                    "How long it would probably take once it is admitted, if nothing else is filled; null if that is unknown")
                    @Nullable Long etaSeconds,
            @Schema(description = "At least; null if that is unknown")
                    @Nullable Long etaLeastSeconds,
            @Schema(description = "At most; null if that is unknown") @Nullable Long etaMostSeconds,
            @Schema(description = "Why no more is known") @Nullable CauseView problem) {

        static InRegionView of(FillPlan.InRegion in) {
            FillSpeed.Estimate time = in.time();
            return new InRegionView(
                    in.region().value(),
                    in.state(),
                    NeedsView.of(in.needs()),
                    in.sources().stream().map(SourceView::of).toList(),
                    CapacityView.of(in.room()),
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
            @Schema(description = "Files of which something is missing") long objectsMissing,
            @Schema(description = "GETs that bring what is missing from the lake")
                    long lakeRequests,
            @Schema(description = "If not, these are estimates") boolean exact,
            @Schema(description = "There is more in the lake than a plan lists") boolean atLeast) {

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
            @Schema(description = "Null for the lake") @Nullable String region,
            @Schema(description = "Of all that is missing; null if no price is stated")
                    @Nullable BigDecimal cost,
            @Schema(description = "Whether a filling takes them from there") boolean used) {

        static SourceView of(FillPlan.Source source) {
            RegionName region = source.region();
            return new SourceView(
                    source.kind().name().toLowerCase(Locale.ROOT),
                    region == null ? null : region.value(),
                    source.cost(),
                    source.used());
        }
    }

    @Schema(name = "PlanRoom")
    record CapacityView(
            @Schema(enumeration = {"admitted", "after_eviction", "waits", "refused"})
                    String admission,
            @Schema(description = "How much more its chunks would take") long neededBytes,
            @Schema(description = "How much versions take that are there") long takenBytes,
            long capacityBytes,
            @Schema(description = "What would be evicted for it") List<VictimView> victims,
            @Schema(description = "Why it is not admitted at once") @Nullable CauseView problem,
            @Schema(description = "When pins end that hold what would have to go")
                    @Nullable Instant notBefore) {

        static @Nullable CapacityView of(FillPlan.@Nullable Room room) {
            return room == null
                    ? null
                    : new CapacityView(
                            room.decision().admission().name().toLowerCase(Locale.ROOT),
                            room.neededBytes(),
                            room.takenBytes(),
                            room.capacityBytes(),
                            room.decision().victims().stream().map(VictimView::of).toList(),
                            CauseView.of(room.decision().problem()),
                            room.decision().notBefore());
        }
    }

    @Schema(name = "PlanVictim")
    record VictimView(
            String dataset,
            String version,
            long roomBytes,
            @Schema(
                            description =
                                    "Requests of late, older ones counting less; at least the last use")
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
