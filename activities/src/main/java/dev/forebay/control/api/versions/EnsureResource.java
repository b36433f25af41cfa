package dev.forebay.control.api.versions;

import dev.forebay.control.api.Rules;
import dev.forebay.control.api.VersionPath;
import dev.forebay.control.api.WholeNumber;
import dev.forebay.control.api.WorkflowLinks;
import dev.forebay.control.catalogue.VersionLookup;
import dev.forebay.control.progress.ProgressFeeds;
import dev.forebay.control.progress.VersionProgress;
import dev.forebay.control.regions.Regions;
import dev.forebay.control.requests.EnsureRequests;
import dev.forebay.control.requests.EnsureState;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.service.Role;
import dev.forebay.workflows.message.EnsureRequest;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;
import org.jspecify.annotations.Nullable;

/** The REST resource that brings a version into regions, and polls or cancels such requests. */
@Path("/api/v1/datasets/{namespace}/{name}/versions/{version}")
@Tag(name = "Ensure")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class EnsureResource {

    private static final int LONGEST_WAIT_SECONDS = 30;

    private static final String CONFLICT =
            "CANCELLED if it was taken back; EVICTING if it was evicted meanwhile; LAKE_OBJECT_CHANGED; ALREADY_EXISTS if the key"
                    + " was used for another request, or somebody else holds a pin with this id";
    private static final String LATE =
            "DEADLINE_EXCEEDED: it was not there within deadline_seconds; says how far it came";
    private static final String GIVEN_UP =
            "UNAVAILABLE or LAKE_UNAVAILABLE; with retryable false the filling was given up and"
                    + " the region is BLOCKED";

    private final EnsureRequests requests;
    private final ProgressFeeds progress;
    private final Regions regions;
    private final VersionLookup lookup;
    private final WorkflowLinks links;

    EnsureResource(
            EnsureRequests requests,
            ProgressFeeds progress,
            Regions regions,
            VersionLookup lookup,
            WorkflowLinks links) {
        this.requests = requests;
        this.progress = progress;
        this.regions = regions;
        this.lookup = lookup;
        this.links = links;
    }

    @POST
    @Path("/ensure")
    @Operation(
            summary = "Have the version in one or several regions, and a pin on it if asked for",
            description =
                    """
                    200 with a receipt when every byte, or as many as were asked for, are there and verified; 202 when it goes on: the request is then \
                    in Temporal's history and survives anything. The same Idempotency-Key is the same request. The version is \
                    named by its name, by an alias, by the digest of its manifest, or by `latest`: the answer says which one was meant. The first \
                    version of a dataset is created by the first request for it; a later one only with `create`.""")
    @APIResponse(responseCode = "200", description = "It is there")
    @APIResponse(responseCode = "202", description = "Accepted, and it will be")
    @APIResponse(
            responseCode = "404",
            description =
                    "NOT_FOUND: no such dataset; or no such version, without create: says which ones are like it")
    @APIResponse(responseCode = "409", description = CONFLICT)
    @APIResponse(responseCode = "422", description = "LAKE_EMPTY, INVALID_KEY or LAKE_UNSUPPORTED")
    @APIResponse(responseCode = "502", description = "LAKE_DENIED")
    @APIResponse(responseCode = "503", description = GIVEN_UP)
    @APIResponse(responseCode = "504", description = LATE)
    @APIResponse(responseCode = "507", description = "CAPACITY_EXCEEDED or TOO_LARGE")
    public RestResponse<EnsureStateView> ensure(
            @BeanParam @Valid VersionPath path,
            @QueryParam("wait_seconds")
                    @DefaultValue("0")
                    @WholeNumber(min = 0, max = LONGEST_WAIT_SECONDS)
                    String waitSeconds,
            @QueryParam("by_name")
                    @DefaultValue("false")
                    @Pattern(regexp = Rules.YES_OR_NO, message = Rules.YES_OR_NO_RULE)
                    @Parameter(
                            description =
                                    "Refuses what means a version in another way than by its own name: whoever asks needs a path that stays")
                    String byName,
            @HeaderParam("Idempotency-Key") @Pattern(regexp = Rules.ID, message = Rules.ID_RULE)
                    @Nullable String idempotencyKey,
            @NotNull(message = Rules.REQUIRED) @Valid EnsureBody body) {
        List<RegionName> in = body.named().stream().map(regions::require).toList();
        String id = idempotencyKey == null ? UUID.randomUUID().toString() : idempotencyKey;
        DatasetVersion version =
                Boolean.parseBoolean(byName)
                        ? lookup.named(path.toDataset(), path.version())
                        : lookup.find(path.toDataset(), path.version(), id);
        PinSpec pin = body.pin();
        EnsureRequest request =
                new EnsureRequest(
                        in.getFirst(),
                        pin == null ? null : pin.toRequest(in.getFirst(), id),
                        body.terms(),
                        in.subList(1, in.size()));
        return answer(
                version,
                requests.ensure(
                        version,
                        request,
                        id,
                        body.runId(),
                        Boolean.TRUE.equals(body.create()),
                        seconds(waitSeconds)),
                () -> progress.fresh(version));
    }

    @GET
    @Path("/requests/{request_id}")
    @Operation(summary = "Ask after a request")
    @APIResponse(responseCode = "200", description = "It is there")
    @APIResponse(responseCode = "202", description = "It goes on")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: no such dataset or request")
    @APIResponse(responseCode = "409", description = CONFLICT)
    @APIResponse(responseCode = "422", description = "LAKE_EMPTY, INVALID_KEY or LAKE_UNSUPPORTED")
    @APIResponse(responseCode = "502", description = "LAKE_DENIED")
    @APIResponse(responseCode = "503", description = GIVEN_UP)
    @APIResponse(responseCode = "504", description = LATE)
    @APIResponse(responseCode = "507", description = "CAPACITY_EXCEEDED or TOO_LARGE")
    public RestResponse<EnsureStateView> poll(
            @BeanParam @Valid VersionPath path,
            @PathParam("request_id") @Pattern(regexp = Rules.ID, message = Rules.ID_RULE)
                    String requestId,
            @QueryParam("region") @Pattern(regexp = Rules.REGION, message = Rules.REGION_RULE)
                    @Nullable String region,
            @QueryParam("wait_seconds")
                    @DefaultValue("0")
                    @WholeNumber(min = 0, max = LONGEST_WAIT_SECONDS)
                    String waitSeconds) {
        Optional<RegionName> in = Optional.ofNullable(region).map(regions::require);
        DatasetVersion version = lookup.meant(path.toDataset(), path.version(), requestId);
        return answer(
                version,
                requests.poll(version, requestId, in, seconds(waitSeconds)),
                () -> progress.recent(version));
    }

    @DELETE
    @Path("/requests/{request_id}")
    @Operation(
            summary = "Take a request back",
            description =
                    """
                    Whoever waits for it is answered with CANCELLED. A filling that nobody else waits for or holds is \
                    stopped, and what it has brought is removed. Does nothing to a request that was answered.""")
    @APIResponse(responseCode = "204", description = "It is taken back, or was answered before")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: no such dataset or request")
    public void cancel(
            @BeanParam @Valid VersionPath path,
            @PathParam("request_id") @Pattern(regexp = Rules.ID, message = Rules.ID_RULE)
                    String requestId) {
        DatasetVersion version = lookup.meant(path.toDataset(), path.version(), requestId);
        requests.cancel(version, requestId);
    }

    private RestResponse<EnsureStateView> answer(
            DatasetVersion version, EnsureState ensured, Supplier<VersionProgress> progress) {
        return switch (ensured) {
            case EnsureState.Done done -> RestResponse.ok(EnsureStateView.of(version, done, links));
            case EnsureState.Pending pending ->
                    RestResponse.status(
                            RestResponse.Status.ACCEPTED,
                            EnsureStateView.of(pending, progress.get()));
        };
    }

    private static Duration seconds(String text) {
        return Duration.ofSeconds(Integer.parseInt(text));
    }
}
