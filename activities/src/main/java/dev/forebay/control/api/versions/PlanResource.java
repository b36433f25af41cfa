package dev.forebay.control.api.versions;

import dev.forebay.control.api.RequestRules;
import dev.forebay.control.api.VersionPath;
import dev.forebay.control.catalogue.VersionLookup;
import dev.forebay.control.planning.FillPlanner;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.RegionName;
import dev.forebay.service.Role;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import java.util.Collection;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The REST resource that plans a fill without starting it. */
@Path("/api/v1/datasets/{namespace}/{name}/versions/{version}/plan")
@Tag(name = "Ensure")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class PlanResource {

    private final FillPlanner planner;
    private final Regions regions;
    private final VersionLookup lookup;

    PlanResource(FillPlanner planner, Regions regions, VersionLookup lookup) {
        this.planner = planner;
        this.regions = regions;
        this.lookup = lookup;
    }

    @POST
    @Operation(
            summary = "Plan what it takes to fill the version into regions",
            description =
                    """
                    Returns missing bytes, files and lake requests, sources with their cost, space and victims, and the time at the rate \
                    that was measured. Starts and writes nothing. A version that is not frozen is listed in the lake, \
                    up to `forebay.plan.objects` of its objects.""")
    @APIResponse(responseCode = "200", description = "The plan")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: no such dataset")
    @APIResponse(responseCode = "422", description = "LAKE_EMPTY or LAKE_UNSUPPORTED")
    @APIResponse(responseCode = "502", description = "LAKE_DENIED")
    @APIResponse(responseCode = "503", description = "LAKE_UNAVAILABLE or UNAVAILABLE")
    public FillPlanView plan(
            @BeanParam @Valid VersionPath path,
            @NotNull(message = RequestRules.REQUIRED) @Valid Planned body) {
        List<String> named = body.regions();
        Collection<String> asked = named == null ? regions.names() : named;
        List<RegionName> in = asked.stream().distinct().map(regions::require).toList();
        return FillPlanView.of(planner.of(path.toVersion(lookup), in));
    }

    @Schema(name = "Planned")
    record Planned(
            @Size(
                            min = 1,
                            max = RequestRules.MOST_REGIONS,
                            message = RequestRules.PLANNED_REGIONS_RULE)
                    @Schema(description = "The region. Absent: all regions")
                    @Nullable
                            List<
                                    @NotNull(message = RequestRules.REGION_RULE)
                                    @Pattern(
                                            regexp = RequestRules.REGION,
                                            message = RequestRules.REGION_RULE)
                                    String>
                            regions) {}
}
