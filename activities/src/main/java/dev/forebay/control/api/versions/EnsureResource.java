package dev.forebay.control.api.versions;

import dev.forebay.control.api.RequestRules;
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
            "CANCELLED if a client cancelled the request. EVICTING if the version was evicted "
                    + "meanwhile. LAKE_OBJECT_CHANGED. ALREADY_EXISTS if the key was used for another "
                    + "request, or another holder has a pin with this id";
    private static final String LATE =
            "DEADLINE_EXCEEDED: the version was not present within deadline_seconds. The detail "
                    + "has the progress";
    private static final String GIVEN_UP =
            "UNAVAILABLE or LAKE_UNAVAILABLE. With retryable false the fill has stopped and the "
                    + "version is BLOCKED in the region";

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
            summary = "Ensure that one or several regions have the version, optionally with a pin",
            description =
                    """
                    Returns 200 with a receipt when all requested bytes are present and verified. Returns 202 while the request continues: it is then \
                    in Temporal's history and survives restarts. The same Idempotency-Key is the same request. The version is \
                    identified by its name, an alias, the digest of its manifest, or `latest`, and the response contains its name. The first \
                    request for a dataset creates its first version. Later versions need `create`.""")
    @APIResponse(responseCode = "200", description = "The version is present")
    @APIResponse(responseCode = "202", description = "The request is accepted and continues")
    @APIResponse(
            responseCode = "404",
            description =
                    "NOT_FOUND: no such dataset, or no such version without create. The detail "
                            + "has similar names")
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
                    @Pattern(regexp = RequestRules.YES_OR_NO, message = RequestRules.YES_OR_NO_RULE)
                    @Parameter(
                            description =
                                    "Refuse aliases, digests and latest, for a caller that needs "
                                            + "a permanent path")
                    String byName,
            @HeaderParam("Idempotency-Key")
                    @Pattern(regexp = RequestRules.ID, message = RequestRules.ID_RULE)
                    @Nullable String idempotencyKey,
            @NotNull(message = RequestRules.REQUIRED) @Valid EnsureBody body) {
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
    @Operation(summary = "Get the state of a request")
    @APIResponse(responseCode = "200", description = "The version is present")
    @APIResponse(responseCode = "202", description = "The request continues")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: no such dataset or request")
    @APIResponse(responseCode = "409", description = CONFLICT)
    @APIResponse(responseCode = "422", description = "LAKE_EMPTY, INVALID_KEY or LAKE_UNSUPPORTED")
    @APIResponse(responseCode = "502", description = "LAKE_DENIED")
    @APIResponse(responseCode = "503", description = GIVEN_UP)
    @APIResponse(responseCode = "504", description = LATE)
    @APIResponse(responseCode = "507", description = "CAPACITY_EXCEEDED or TOO_LARGE")
    public RestResponse<EnsureStateView> poll(
            @BeanParam @Valid VersionPath path,
            @PathParam("request_id")
                    @Pattern(regexp = RequestRules.ID, message = RequestRules.ID_RULE)
                    String requestId,
            @QueryParam("region")
                    @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
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
            summary = "Cancel a request",
            description =
                    """
                    Waiting clients get CANCELLED. A fill for which no other request waits and on which there is no pin \
                    stops, and its chunks are removed. Has no effect on a request that has ended.""")
    @APIResponse(
            responseCode = "204",
            description = "The request is cancelled, or had ended " + "before")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: no such dataset or request")
    public void cancel(
            @BeanParam @Valid VersionPath path,
            @PathParam("request_id")
                    @Pattern(regexp = RequestRules.ID, message = RequestRules.ID_RULE)
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
