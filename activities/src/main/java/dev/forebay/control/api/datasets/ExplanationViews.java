package dev.forebay.control.api.datasets;

import dev.forebay.control.api.datasets.TrackingViews.CheckView;
import dev.forebay.control.explain.Explanation;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.workflows.message.HistoryEntry;
import dev.forebay.workflows.message.Residency;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The response bodies of explanations. */
final class ExplanationViews {

    private ExplanationViews() {}

    @Schema(name = "HistoryEntry", description = "What happened to a version in a region")
    record HappeningView(
            Instant at,
            HistoryEntry.Kind kind,
            @Schema(description = "What it was BLOCKED by; else null") @Nullable ErrorCode code,
            @Schema(description = "Who held it, why it was evicted, what went wrong") String text,
            @Schema(description = "What was there then") long bytes) {

        static HappeningView of(HistoryEntry happening) {
            return new HappeningView(
                    happening.at(),
                    happening.kind(),
                    happening.code(),
                    happening.text(),
                    happening.bytes());
        }
    }

    @Schema(name = "Explanation")
    record ExplanationView(
            String dataset,
            @Schema(description = "The name of the version that was meant") String version,
            String region,
            Residency.State state,
            @Schema(description = "Whether all of it is there") boolean warm,
            @Schema(description = "For people, a sentence each") List<String> sentences,
            @Schema(description = "The latest first, at most 50") List<HappeningView> history,
            @Schema(description = "The version that was frozen last") String newest,
            @Schema(description = "Other versions that are complete there, at most 20")
                    List<String> others,
            @Schema(
                            description =
                                    "Null if the dataset does not follow its source, or was not checked yet")
                    @Nullable CheckView lastCheck) {

        static ExplanationView of(Explanation explanation) {
            Residency.State state = explanation.progress().residency().state();
            return new ExplanationView(
                    explanation.version().dataset().toString(),
                    explanation.version().version(),
                    explanation.region().value(),
                    state,
                    state == Residency.State.CACHED,
                    explanation.sentences(),
                    explanation.history().stream().map(HappeningView::of).toList(),
                    explanation.newest().version(),
                    explanation.others().stream().map(DatasetVersion::version).toList(),
                    CheckView.of(explanation.lastCheck()));
        }
    }
}
