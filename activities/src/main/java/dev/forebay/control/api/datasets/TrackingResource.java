package dev.forebay.control.api.datasets;

import dev.forebay.control.api.DatasetPath;
import dev.forebay.control.api.Rules;
import dev.forebay.control.catalogue.tracking.Tracking;
import dev.forebay.control.tracking.DatasetTracking;
import dev.forebay.service.Role;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;
import org.jspecify.annotations.Nullable;

/**
 * The REST resource of following the lake, which checks the source of a dataset at regular
 * intervals.
 */
@Path("/api/v1/datasets/{namespace}/{name}/tracking")
@Tag(name = "Tracking")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class TrackingResource {

    private static final String ABSENT =
            "NOT_FOUND: no such dataset, or it does not follow its source";

    private final DatasetTracking tracking;

    TrackingResource(DatasetTracking tracking) {
        this.tracking = tracking;
    }

    @PUT
    @Operation(
            summary = "Have a dataset follow its source, or change how",
            description =
                    "Each check lists the source, which costs one request for 1,000 objects. What differs from the newest version becomes a new one.")
    @APIResponse(responseCode = "200", description = "How it is followed")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: no such dataset")
    public TrackingView follow(
            @BeanParam @Valid DatasetPath path,
            @NotNull(message = Rules.REQUIRED) @Valid NewTracking body) {
        return TrackingView.of(
                tracking.follow(
                        path.toName(), body.interval(), Optional.ofNullable(body.paused())));
    }

    @GET
    @Operation(summary = "Show how a dataset is followed, and what the last check found")
    @APIResponse(responseCode = "200", description = "How it is followed")
    @APIResponse(responseCode = "404", description = ABSENT)
    public TrackingView get(@BeanParam @Valid DatasetPath path) {
        return TrackingView.of(tracking.get(path.toName()));
    }

    @DELETE
    @Operation(
            summary = "Have a dataset follow its source no more",
            description = "Its versions stay. Does nothing if it does not.")
    @APIResponse(responseCode = "204", description = "It does not")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: no such dataset")
    public void stop(@BeanParam @Valid DatasetPath path) {
        tracking.stop(path.toName());
    }

    @POST
    @Path("/check")
    @Operation(
            summary = "Check now",
            description =
                    "Also if it is paused; last_check says when it is over. If a check is running, it follows that one.")
    @APIResponse(responseCode = "202", description = "It will be checked")
    @APIResponse(responseCode = "404", description = ABSENT)
    public RestResponse<TrackingView> check(@BeanParam @Valid DatasetPath path) {
        return RestResponse.status(
                RestResponse.Status.ACCEPTED, TrackingView.of(tracking.check(path.toName())));
    }

    @Schema(name = "Tracking", description = "How a dataset follows its source")
    record TrackingView(
            String dataset,
            long intervalSeconds,
            boolean paused,
            Instant createdAt,
            @Schema(description = "Null while it is paused") @Nullable Instant nextCheckAt,
            @Schema(description = "Null until the first is over") @Nullable CheckView lastCheck) {

        static TrackingView of(DatasetTracking.Followed followed) {
            Tracking tracking = followed.tracking();
            return new TrackingView(
                    tracking.dataset().toString(),
                    tracking.interval().toSeconds(),
                    followed.paused(),
                    tracking.createdAt(),
                    followed.nextCheck(),
                    CheckView.of(tracking.last()));
        }
    }

    @Schema(name = "NewTracking")
    record NewTracking(
            @Min(value = Rules.MIN_INTERVAL_SECONDS, message = Rules.INTERVAL_RULE)
                    @Max(value = Rules.MAX_INTERVAL_SECONDS, message = Rules.INTERVAL_RULE)
                    @Schema(description = "Between checks; as it is, or the default, if absent")
                    @Nullable Long intervalSeconds,
            @Schema(description = "Whether it pauses; as it is, or not, if absent")
                    @Nullable Boolean paused) {

        Optional<Duration> interval() {
            return Optional.ofNullable(intervalSeconds).map(Duration::ofSeconds);
        }
    }
}
