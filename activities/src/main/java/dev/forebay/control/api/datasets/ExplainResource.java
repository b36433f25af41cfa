package dev.forebay.control.api.datasets;

import dev.forebay.control.api.DatasetPath;
import dev.forebay.control.api.RequestRules;
import dev.forebay.control.explain.Explanation;
import dev.forebay.control.explain.Explanations;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.service.Role;
import dev.forebay.workflows.message.HistoryEntry;
import dev.forebay.workflows.message.Residency;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The REST resource that explains why a version is, or is not, in a region. */
@Path("/api/v1/datasets/{namespace}/{name}/explain")
@Tag(name = "Datasets")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class ExplainResource {

    private final Explanations explanations;
    private final Regions regions;

    ExplainResource(Explanations explanations, Regions regions) {
        this.explanations = explanations;
        this.regions = regions;
    }

    @GET
    @Operation(
            summary = "Explain why a version is, or is not, in a region",
            description =
                    "Uses the version's workflow and its history: fills, pins, evictions with "
                            + "their reasons, lost chunks, and newer versions.")
    @APIResponse(
            responseCode = "200",
            description = "The explanation in sentences, and the " + "facts behind it")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or no version has this name")
    public ExplanationView explain(
            @BeanParam @Valid DatasetPath path,
            @QueryParam("region")
                    @NotNull(message = RequestRules.REQUIRED)
                    @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
                    String region,
            @QueryParam("version")
                    @DefaultValue("latest")
                    @Pattern(regexp = RequestRules.VERSION, message = RequestRules.VERSION_RULE)
                    String version) {
        return ExplanationView.of(explanations.of(path.toName(), version, regions.require(region)));
    }

    @Schema(name = "Explanation")
    record ExplanationView(
            String dataset,
            @Schema(description = "The name of the version that the request named") String version,
            String region,
            Residency.State state,
            @Schema(description = "Whether every byte is present") boolean warm,
            @Schema(description = "For people, one sentence each") List<String> sentences,
            @Schema(description = "The latest events first, at most 50")
                    List<HistoryEntryView> history,
            @Schema(description = "The version that was frozen last") String newest,
            @Schema(description = "Other versions that are complete in the region, at most 20")
                    List<String> others,
            @Schema(
                            description =
                                    "The last check, or null if the dataset does not follow its "
                                            + "source or was not checked yet")
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
                    explanation.history().stream().map(HistoryEntryView::of).toList(),
                    explanation.newest().version(),
                    explanation.others().stream().map(DatasetVersion::version).toList(),
                    CheckView.of(explanation.lastCheck()));
        }
    }

    @Schema(name = "HistoryEntry", description = "What happened to a version in a region")
    record HistoryEntryView(
            Instant at,
            HistoryEntry.Kind kind,
            @Schema(description = "The code of the problem of a BLOCKED version, or null")
                    @Nullable ErrorCode code,
            @Schema(description = "The pin owner, the reason of the eviction, or the problem")
                    String text,
            @Schema(description = "Bytes that were present") long bytes) {

        static HistoryEntryView of(HistoryEntry entry) {
            return new HistoryEntryView(
                    entry.at(), entry.kind(), entry.code(), entry.text(), entry.bytes());
        }
    }
}
