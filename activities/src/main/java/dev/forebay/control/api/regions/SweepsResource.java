package dev.forebay.control.api.regions;

import dev.forebay.control.api.RequestRules;
import dev.forebay.control.api.WholeNumber;
import dev.forebay.control.api.WorkflowLinks;
import dev.forebay.control.eviction.SweepRuns;
import dev.forebay.control.eviction.SweepSchedules;
import dev.forebay.control.eviction.SweepSurveyor;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.RegionName;
import dev.forebay.service.Role;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import java.time.Duration;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;
import org.jspecify.annotations.Nullable;

/** The REST resource of the sweeps of a region: their plan, runs and schedule. */
@Path("/api/v1/regions/{region}/sweep")
@Tag(name = "Sweeps")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class SweepsResource {

    private static final int LONGEST_WAIT_SECONDS = 30;

    private final SweepSurveyor plans;
    private final SweepRuns runs;
    private final SweepSchedules schedules;
    private final Regions regions;
    private final WorkflowLinks links;

    SweepsResource(
            SweepSurveyor plans,
            SweepRuns runs,
            SweepSchedules schedules,
            Regions regions,
            WorkflowLinks links) {
        this.plans = plans;
        this.runs = runs;
        this.schedules = schedules;
        this.regions = regions;
        this.links = links;
    }

    @GET
    @Operation(summary = "Show the schedule of the region's sweeps")
    @APIResponse(responseCode = "200", description = "Its schedule")
    public ScheduleView schedule(
            @PathParam("region")
                    @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
                    String region) {
        RegionName name = regions.require(region);
        return ScheduleView.of(name, schedules.state(name));
    }

    @GET
    @Path("/plan")
    @Operation(
            summary = "Show what a sweep would evict now, with reasons",
            description = "A dry run: changes nothing.")
    @APIResponse(responseCode = "200", description = "The victims, in the order of eviction")
    public SweepPlanView plan(
            @PathParam("region")
                    @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
                    String region) {
        return SweepPlanView.of(plans.preview(regions.require(region)));
    }

    @POST
    @Operation(
            summary = "Start a sweep of the region now, also while its schedule is paused",
            description =
                    "Returns 202 while the sweep runs. A repeated request follows the same sweep.")
    @APIResponse(responseCode = "200", description = "The result for each version")
    @APIResponse(responseCode = "202", description = "The request continues")
    public RestResponse<SweepView> sweep(
            @PathParam("region")
                    @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
                    String region,
            @QueryParam("wait_seconds")
                    @DefaultValue("30")
                    @WholeNumber(min = 0, max = LONGEST_WAIT_SECONDS)
                    String waitSeconds) {
        RegionName name = regions.require(region);
        SweepRuns.Run run = runs.run(name, Duration.ofSeconds(Integer.parseInt(waitSeconds)));
        SweepView view = SweepView.of(name, run, links.to(run.workflowId()));
        return view.done()
                ? RestResponse.ok(view)
                : RestResponse.status(RestResponse.Status.ACCEPTED, view);
    }

    @POST
    @Path("/pause")
    @Operation(
            summary = "Pause the scheduled sweeps of the region",
            description = "A running sweep continues, and requested sweeps still run.")
    @APIResponse(responseCode = "200", description = "Its schedule")
    public ScheduleView pause(
            @PathParam("region")
                    @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
                    String region,
            @NotNull(message = RequestRules.REQUIRED) @Valid Note body) {
        RegionName name = regions.require(region);
        return ScheduleView.of(name, schedules.pause(name, body.or("paused")));
    }

    @POST
    @Path("/resume")
    @Operation(summary = "Resume the scheduled sweeps of the region")
    @APIResponse(responseCode = "200", description = "Its schedule")
    public ScheduleView resume(
            @PathParam("region")
                    @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
                    String region,
            @NotNull(message = RequestRules.REQUIRED) @Valid Note body) {
        RegionName name = regions.require(region);
        return ScheduleView.of(name, schedules.resume(name, body.or("resumed")));
    }

    @Schema(name = "SweepSchedule", description = "The schedule of a region's sweeps")
    record ScheduleView(
            String region,
            boolean paused,
            @Schema(description = "The reason of the last pause or resumption") String note,
            long intervalSeconds,
            @Schema(description = "The last run, or null if there was none")
                    @Nullable Instant lastAt,
            @Schema(description = "The next run, or null while paused") @Nullable Instant nextAt) {

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

    @Schema(name = "Note")
    record Note(
            @Pattern(regexp = RequestRules.TEXT, message = RequestRules.TEXT_RULE)
                    @Size(max = RequestRules.TEXT_LENGTH, message = RequestRules.TEXT_RULE)
                    @Schema(description = "The reason, for people. It stays with the schedule")
                    @Nullable String reason) {

        /**
         * Returns the reason or the default. The result is never empty, because Temporal treats an
         * empty note as no change.
         */
        String or(String otherwise) {
            return reason == null || reason.isBlank() ? otherwise : reason;
        }
    }
}
