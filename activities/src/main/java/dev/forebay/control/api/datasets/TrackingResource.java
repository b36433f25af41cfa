package dev.forebay.control.api.datasets;

import dev.forebay.control.api.DatasetPath;
import dev.forebay.control.api.RequestRules;
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
            summary = "Let a dataset follow its source, or change its interval",
            description =
                    "Each check lists the source, which costs one request for 1,000 objects. A "
                            + "source that differs from the newest version becomes a new version.")
    @APIResponse(responseCode = "200", description = "The schedule and the last check")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: no such dataset")
    public TrackingView follow(
            @BeanParam @Valid DatasetPath path,
            @NotNull(message = RequestRules.REQUIRED) @Valid NewTracking body) {
        return TrackingView.of(
                tracking.follow(
                        path.toName(), body.interval(), Optional.ofNullable(body.paused())));
    }

    @GET
    @Operation(summary = "Show the checks of a dataset that follows its source")
    @APIResponse(responseCode = "200", description = "The schedule and the last check")
    @APIResponse(responseCode = "404", description = ABSENT)
    public TrackingView get(@BeanParam @Valid DatasetPath path) {
        return TrackingView.of(tracking.get(path.toName()));
    }

    @DELETE
    @Operation(
            summary = "Stop following the source of a dataset",
            description =
                    "The versions stay. Has no effect if the dataset does not follow its "
                            + "source.")
    @APIResponse(responseCode = "204", description = "The dataset does not follow its source")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: no such dataset")
    public void stop(@BeanParam @Valid DatasetPath path) {
        tracking.stop(path.toName());
    }

    @POST
    @Path("/check")
    @Operation(
            summary = "Check now",
            description =
                    "Works also while checks are paused. last_check shows when the check has "
                            + "ended. A running check ends first.")
    @APIResponse(responseCode = "202", description = "The check will run")
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
            @Schema(description = "The next run, or null while paused")
                    @Nullable Instant nextCheckAt,
            @Schema(description = "The last check, or null before the first one")
                    @Nullable CheckView lastCheck) {

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
            @Min(value = RequestRules.MIN_INTERVAL_SECONDS, message = RequestRules.INTERVAL_RULE)
                    @Max(
                            value = RequestRules.MAX_INTERVAL_SECONDS,
                            message = RequestRules.INTERVAL_RULE)
                    @Schema(
                            description =
                                    "Interval of checks, in seconds. Absent: unchanged, at "
                                            + "first the default")
                    @Nullable Long intervalSeconds,
            @Schema(description = "Whether checks are paused. Absent: unchanged, at first false")
                    @Nullable Boolean paused) {

        Optional<Duration> interval() {
            return Optional.ofNullable(intervalSeconds).map(Duration::ofSeconds);
        }
    }
}
