package dev.forebay.control.api.regions;

import dev.forebay.control.eviction.SweepPlans;
import dev.forebay.service.gateway.UsageReport;
import dev.forebay.workflows.message.SweepReason;
import dev.forebay.workflows.message.Victim;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The plan of a sweep. */
@Schema(name = "SweepPlan", description = "What a sweep would do at this moment")
record SweepPlanView(
        String region,
        @Schema(description = "In the order in which they go") List<VictimView> victims,
        @Schema(description = "What could not be decided, and why") List<String> notes,
        @Schema(description = "Of the workers that answer; null if the agent does not")
                @Nullable Long capacityBytes,
        @Nullable Long usedBytes,
        @Schema(description = "What no mounted version refers to; workers remove it by themselves")
                @Nullable Long orphanBytes) {

    static SweepPlanView of(SweepPlans.Look look) {
        return new SweepPlanView(
                look.plan().region().value(),
                look.plan().victims().stream().map(VictimView::of).toList(),
                look.plan().notes(),
                look.usage().map(UsageReport::capacityBytes).orElse(null),
                look.usage().map(UsageReport::usedBytes).orElse(null),
                look.usage().map(UsageReport::orphanBytes).orElse(null));
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
}
