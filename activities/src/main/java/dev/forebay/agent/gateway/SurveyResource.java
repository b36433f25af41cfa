package dev.forebay.agent.gateway;

import dev.forebay.agent.capacity.VersionSurvey;
import dev.forebay.service.Role;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.gateway.SurveyRequest;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** The part of the agent's gateway that the control plane reads before it plans. */
@Path("/v1")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.CONTROL_PLANE_NAME)
class SurveyResource {

    private final VersionSurvey survey;

    SurveyResource(VersionSurvey survey) {
        this.survey = survey;
    }

    @POST
    @Path("/survey")
    @Operation(hidden = true)
    public RegionSurvey survey(SurveyRequest request) {
        return survey.of(request);
    }
}
