package dev.forebay.control.api.regions;

import dev.forebay.control.eviction.SweepPlans;
import dev.forebay.control.eviction.SweepRuns;
import dev.forebay.control.eviction.SweepSchedules;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.UsageReport;
import dev.forebay.workflows.activity.SweepActivities.Outcome;
import dev.forebay.workflows.message.SweepReason;
import dev.forebay.workflows.message.Victim;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The response bodies about sweeps. */
final class SweepViews {

    private SweepViews() {}

    @Schema(name = "SweepSchedule", description = "When a region is swept by itself")
    record ScheduleView(
            String region,
            boolean paused,
            @Schema(description = "Why it was paused or resumed") String note,
            long intervalSeconds,
            @Schema(description = "Null if it never was") @Nullable Instant lastAt,
            @Schema(description = "Null while it is paused") @Nullable Instant nextAt) {

        static ScheduleView of(RegionName region, SweepSchedules.State state) {
            return new ScheduleView(
                    region.value(),
                    state.paused(),
                    state.note(),
                    state.interval().toSeconds(),
                    state.lastAt().orElse(null),
                    state.nextAt().orElse(null));
        }
    }

    @Schema(name = "Victim", description = "A copy that has to go")
    record VictimView(
            String dataset,
            String version,
            SweepReason reason,
            @Schema(description = "For people") String why,
            @Schema(
                            description =
                                    "What becomes free with it, once those before it are gone; what others share with it stays")
                    long bytes) {

        static VictimView of(Victim victim) {
            return new VictimView(
                    victim.version().dataset().toString(),
                    victim.version().version(),
                    victim.reason(),
                    victim.why(),
                    victim.bytes());
        }
    }

    @Schema(name = "SweepPlan", description = "What a sweep would do at this moment")
    record PlanView(
            String region,
            @Schema(description = "In the order in which they go") List<VictimView> victims,
            @Schema(description = "What could not be decided, and why") List<String> notes,
            @Schema(description = "Of the workers that answer; null if the agent does not")
                    @Nullable Long capacityBytes,
            @Nullable Long usedBytes,
            @Schema(
                            description =
                                    "What no mounted version refers to; workers remove it by themselves")
                    @Nullable Long orphanBytes) {

        static PlanView of(SweepPlans.Look look) {
            return new PlanView(
                    look.plan().region().value(),
                    look.plan().victims().stream().map(VictimView::of).toList(),
                    look.plan().notes(),
                    look.usage().map(UsageReport::capacityBytes).orElse(null),
                    look.usage().map(UsageReport::usedBytes).orElse(null),
                    look.usage().map(UsageReport::orphanBytes).orElse(null));
        }
    }

    @Schema(name = "SweptVersion", description = "What became of a version")
    record SweptView(
            String dataset,
            String version,
            boolean evicted,
            SweepReason reason,
            @Schema(description = "Why it went, or why it did not") String why) {

        static SweptView of(Outcome outcome) {
            return new SweptView(
                    outcome.version().dataset().toString(),
                    outcome.version().version(),
                    outcome.evicted(),
                    outcome.because(),
                    outcome.reason());
        }
    }

    @Schema(name = "Sweep", description = "A sweep that was asked for")
    record SweepView(
            String region,
            boolean done,
            @Schema(description = "Null while it goes on") @Nullable List<SweptView> outcomes,
            String workflowId,
            @Nullable String workflowUrl) {

        static SweepView of(RegionName region, SweepRuns.Run run, @Nullable String url) {
            return new SweepView(
                    region.value(),
                    run.outcomes().isPresent(),
                    run.outcomes()
                            .map(those -> those.stream().map(SweptView::of).toList())
                            .orElse(null),
                    run.workflowId(),
                    url);
        }
    }
}
