package dev.forebay.control.api.regions;

import dev.forebay.control.eviction.SweepSurveyor;
import dev.forebay.service.gateway.UsageReport;
import dev.forebay.workflows.message.SweepReason;
import dev.forebay.workflows.message.Victim;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The plan of a sweep. */
@Schema(name = "SweepPlan", description = "The result of a sweep at this moment")
record SweepPlanView(
        String region,
        @Schema(description = "The victims, in the order of eviction") List<VictimView> victims,
        @Schema(description = "Decisions that were not possible, with the reason")
                List<String> notes,
        @Schema(
                        description =
                                "Sum over the workers that answer, or null if the agent does not "
                                        + "answer")
                @Nullable Long capacityBytes,
        @Nullable Long usedBytes,
        @Schema(description = "Bytes to which no mounted version refers. Workers remove them")
                @Nullable Long orphanBytes) {

    static SweepPlanView of(SweepSurveyor.Preview preview) {
        return new SweepPlanView(
                preview.plan().region().value(),
                preview.plan().victims().stream().map(VictimView::of).toList(),
                preview.plan().notes(),
                preview.usage().map(UsageReport::capacityBytes).orElse(null),
                preview.usage().map(UsageReport::usedBytes).orElse(null),
                preview.usage().map(UsageReport::orphanBytes).orElse(null));
    }

    @Schema(name = "Victim", description = "A copy that the sweep evicts")
    record VictimView(
            String dataset,
            String version,
            SweepReason reason,
            @Schema(description = "For people") String why,
            @Schema(
                            description =
                                    "Bytes that its eviction frees, after the evictions before "
                                            + "it. Chunks that other versions share stay")
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
