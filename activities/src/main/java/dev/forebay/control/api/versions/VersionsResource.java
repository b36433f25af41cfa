package dev.forebay.control.api.versions;

import dev.forebay.control.api.RequestRules;
import dev.forebay.control.api.VersionPath;
import dev.forebay.control.api.WholeNumber;
import dev.forebay.control.api.WorkflowLinks;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.catalogue.VersionLookup;
import dev.forebay.control.progress.ProgressReader;
import dev.forebay.control.progress.RunningActivities;
import dev.forebay.control.regions.Regions;
import dev.forebay.control.requests.FreezeRequests;
import dev.forebay.control.requests.VersionReader;
import dev.forebay.control.requests.VersionRequests;
import dev.forebay.model.DatasetVersion;
import dev.forebay.service.Role;
import dev.forebay.workflows.message.AbandonRequest;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.ResumeRequest;
import dev.forebay.workflows.message.VersionStatus;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.time.Duration;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;
import org.jspecify.annotations.Nullable;

/**
 * The REST resource of one version: its status, and requests that freeze, evict, resume or abandon
 * it.
 */
@Path("/api/v1/datasets/{namespace}/{name}/versions/{version}")
@Tag(name = "Versions")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class VersionsResource {

    private static final int LONGEST_WAIT_SECONDS = 30;

    private final VersionRequests versions;
    private final FreezeRequests freezes;
    private final VersionReader reader;
    private final ProgressReader progress;
    private final Regions regions;
    private final VersionLookup lookup;
    private final VersionCatalogue catalogue;
    private final RunningActivities underway;
    private final WorkflowLinks links;

    VersionsResource(
            VersionRequests versions,
            FreezeRequests freezes,
            VersionReader reader,
            ProgressReader progress,
            Regions regions,
            VersionLookup lookup,
            VersionCatalogue catalogue,
            RunningActivities underway,
            WorkflowLinks links) {
        this.versions = versions;
        this.freezes = freezes;
        this.reader = reader;
        this.progress = progress;
        this.regions = regions;
        this.lookup = lookup;
        this.catalogue = catalogue;
        this.underway = underway;
        this.links = links;
    }

    @GET
    @Operation(
            summary = "Show a version",
            description = "Returns 404 until a client requests or freezes the version.")
    @APIResponse(responseCode = "200", description = "The version")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or no such version")
    public VersionView get(@BeanParam @Valid VersionPath path) {
        return shown(reader.status(path.toVersion(lookup)));
    }

    @POST
    @Path("/freeze")
    @Operation(
            summary = "Create the version from the source's present state",
            description =
                    "Lists the source and fills no region. Returns 202 while the listing runs. A "
                            + "repeated request follows the same freeze. Has no effect on a frozen "
                            + "version.")
    @APIResponse(responseCode = "200", description = "The version is frozen")
    @APIResponse(responseCode = "202", description = "The listing of the source runs")
    @APIResponse(
            responseCode = "400",
            description = "INVALID_ARGUMENT: latest and digests cannot be names of versions")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: no such dataset")
    @APIResponse(responseCode = "422", description = "LAKE_EMPTY or INVALID_KEY")
    @APIResponse(responseCode = "502", description = "LAKE_DENIED")
    @APIResponse(responseCode = "503", description = "LAKE_UNAVAILABLE or UNAVAILABLE")
    public RestResponse<VersionView> freeze(
            @BeanParam @Valid VersionPath path,
            @QueryParam("wait_seconds")
                    @DefaultValue("30")
                    @WholeNumber(min = 0, max = LONGEST_WAIT_SECONDS)
                    String waitSeconds) {
        DatasetVersion version = lookup.named(path.toDataset(), path.version());
        boolean frozen = freezes.freeze(version, Duration.ofSeconds(Integer.parseInt(waitSeconds)));
        return RestResponse.status(
                frozen ? RestResponse.Status.OK : RestResponse.Status.ACCEPTED,
                shown(reader.status(version)));
    }

    @POST
    @Path("/evict")
    @Operation(
            summary = "Evict the version from a region",
            description =
                    "Answers after the eviction. Returns 200 also if the version was not there, "
                            + "and 409 PINNED while it is pinned.")
    @APIResponse(responseCode = "200", description = "The version")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or no such version")
    @APIResponse(responseCode = "409", description = "PINNED")
    public VersionView evict(
            @BeanParam @Valid VersionPath path,
            @NotNull(message = RequestRules.REQUIRED) @Valid Eviction body) {
        DatasetVersion version = path.toVersion(lookup);
        String reason = body.reason();
        versions.evict(
                version,
                new EvictRequest(
                        regions.require(body.region()), reason == null ? "" : reason, false));
        return shown(reader.statusOrNothing(version));
    }

    @PUT
    @Path("/ttl")
    @Operation(summary = "Set how long the version stays in a region after its last pin ends")
    @APIResponse(responseCode = "200", description = "The version")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or no such version")
    public VersionView setTtl(
            @BeanParam @Valid VersionPath path,
            @NotNull(message = RequestRules.REQUIRED) @Valid Ttl body) {
        DatasetVersion version = path.toVersion(lookup);
        versions.setTtl(version, Duration.ofSeconds(body.ttlSeconds()));
        return shown(reader.statusOrNothing(version));
    }

    @POST
    @Path("/resume")
    @Operation(
            summary = "Retry in a region where the version is BLOCKED",
            description = "Has no effect if the version is not BLOCKED.")
    @APIResponse(responseCode = "200", description = "The version")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or no such version")
    public VersionView resume(
            @BeanParam @Valid VersionPath path,
            @NotNull(message = RequestRules.REQUIRED) @Valid InRegion body) {
        DatasetVersion version = path.toVersion(lookup);
        versions.resume(version, new ResumeRequest(regions.require(body.region())));
        return shown(reader.statusOrNothing(version));
    }

    @POST
    @Path("/abandon")
    @Operation(
            summary = "Remove the version from a region where it is BLOCKED",
            description =
                    "Answers after the eviction. Has no effect if the version is not BLOCKED. "
                            + "Returns 409 PINNED while it is pinned.")
    @APIResponse(responseCode = "200", description = "The version")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or no such version")
    @APIResponse(responseCode = "409", description = "PINNED")
    public VersionView abandon(
            @BeanParam @Valid VersionPath path,
            @NotNull(message = RequestRules.REQUIRED) @Valid Eviction body) {
        DatasetVersion version = path.toVersion(lookup);
        String reason = body.reason();
        versions.abandon(
                version,
                new AbandonRequest(regions.require(body.region()), reason == null ? "" : reason));
        return shown(reader.statusOrNothing(version));
    }

    private VersionView shown(VersionStatus status) {
        boolean isOnlyNamed = status.manifest() == null && status.regions().isEmpty();
        return VersionView.of(
                progress.of(status),
                catalogue.origin(status.version()),
                isOnlyNamed ? underway.freezing(status.version()) : Optional.empty(),
                links);
    }

    @Schema(name = "Eviction")
    record Eviction(
            @NotNull(message = RequestRules.REQUIRED)
                    @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
                    String region,
            @Pattern(regexp = RequestRules.TEXT, message = RequestRules.TEXT_RULE)
                    @Size(max = RequestRules.TEXT_LENGTH, message = RequestRules.TEXT_RULE)
                    @Schema(
                            description =
                                    "The reason, for people. It stays in the version's "
                                            + "history")
                    @Nullable String reason) {}

    @Schema(name = "Ttl")
    record Ttl(
            @NotNull(message = RequestRules.REQUIRED)
                    @Min(value = RequestRules.MIN_TTL_SECONDS, message = RequestRules.TTL_RULE)
                    @Max(value = RequestRules.MAX_TTL_SECONDS, message = RequestRules.TTL_RULE)
                    Long ttlSeconds) {}
}
