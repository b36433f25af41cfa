package dev.forebay.control.api.datasets;

import dev.forebay.control.api.DatasetPath;
import dev.forebay.control.api.Rules;
import dev.forebay.control.api.datasets.ExplanationViews.ExplanationView;
import dev.forebay.control.explain.Explanations;
import dev.forebay.control.regions.Regions;
import dev.forebay.service.Role;
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
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

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
            summary = "Say why a version is, or is not, in a region",
            description =
                    "From what its workflow says now and what it said before: fillings, pins, evictions with their reasons, what was lost, and the newer versions.")
    @APIResponse(responseCode = "200", description = "In words, and what they are made from")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or none of its versions is meant")
    public ExplanationView explain(
            @BeanParam @Valid DatasetPath path,
            @QueryParam("region")
                    @NotNull(message = Rules.REQUIRED)
                    @Pattern(regexp = Rules.REGION, message = Rules.REGION_RULE)
                    String region,
            @QueryParam("version")
                    @DefaultValue("latest")
                    @Pattern(regexp = Rules.VERSION, message = Rules.VERSION_RULE)
                    String version) {
        return ExplanationView.of(explanations.of(path.toName(), version, regions.require(region)));
    }
}
