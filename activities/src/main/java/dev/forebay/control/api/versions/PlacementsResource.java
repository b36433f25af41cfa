package dev.forebay.control.api.versions;

import dev.forebay.control.api.Rules;
import dev.forebay.control.api.WholeNumber;
import dev.forebay.control.api.versions.PlacementViews.PlacementsView;
import dev.forebay.control.catalogue.VersionLookup;
import dev.forebay.control.planning.RegionRatings;
import dev.forebay.model.DatasetName;
import dev.forebay.service.Role;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The REST resource that ranks the regions for a job that reads a version. */
@Path("/api/v1/placements")
@Tag(name = "Regions")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class PlacementsResource {

    private static final int MOST_GPUS = 1_000_000;

    private final RegionRatings placements;
    private final VersionLookup lookup;

    PlacementsResource(RegionRatings placements, VersionLookup lookup) {
        this.placements = placements;
        this.lookup = lookup;
    }

    @GET
    @Operation(
            summary = "Rank the regions for a job that reads a version",
            description =
                    """
                    By what it would meet there, the time until the version is warm, cost, coverage and free room, each with its reasons. \
                    Nothing begins and nothing is written, as with a plan. How many GPUs are free at the moment is for a scheduler to know.""")
    @APIResponse(responseCode = "200", description = "All regions, the best first")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or it has no version yet")
    @APIResponse(responseCode = "422", description = "LAKE_EMPTY or LAKE_UNSUPPORTED")
    @APIResponse(responseCode = "502", description = "LAKE_DENIED")
    @APIResponse(responseCode = "503", description = "LAKE_UNAVAILABLE or UNAVAILABLE")
    public PlacementsView rank(
            @QueryParam("dataset")
                    @NotNull(message = Rules.REQUIRED)
                    @Pattern(regexp = Rules.DATASET, message = Rules.DATASET_RULE)
                    @Parameter(description = "namespace/name")
                    String dataset,
            @QueryParam("version")
                    @DefaultValue("latest")
                    @Pattern(regexp = Rules.VERSION, message = Rules.VERSION_RULE)
                    String version,
            @QueryParam("gpus")
                    @WholeNumber(min = 1, max = MOST_GPUS)
                    @Parameter(description = "How many the job needs")
                    @Nullable String gpus) {
        return PlacementsView.of(
                placements.of(
                        lookup.find(DatasetName.parse(dataset), version),
                        gpus == null ? null : Integer.valueOf(gpus)));
    }
}
