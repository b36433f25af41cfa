package dev.forebay.control.api.regions;

import dev.forebay.control.eviction.SweepRuns;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.activity.SweepActivities.Outcome;
import dev.forebay.workflows.message.SweepReason;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A sweep on request, and its result. */
@Schema(name = "Sweep", description = "A requested sweep")
record SweepView(
        String region,
        boolean done,
        @Schema(description = "The result, or null while the sweep runs")
                @Nullable List<SweptView> outcomes,
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

    @Schema(name = "SweptVersion", description = "The result for a version")
    record SweptView(
            String dataset,
            String version,
            boolean evicted,
            SweepReason reason,
            @Schema(description = "The reason why it was evicted, or why not") String why) {

        static SweptView of(Outcome outcome) {
            return new SweptView(
                    outcome.version().dataset().toString(),
                    outcome.version().version(),
                    outcome.evicted(),
                    outcome.because(),
                    outcome.reason());
        }
    }
}
