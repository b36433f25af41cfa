package dev.forebay.control.api;

import dev.forebay.control.api.Bodies.Eviction;
import dev.forebay.control.api.Bodies.InRegion;
import dev.forebay.control.api.Bodies.Ttl;
import dev.forebay.control.api.VersionViews.VersionView;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.catalogue.VersionLookup;
import dev.forebay.control.engine.DatasetVersions;
import dev.forebay.control.engine.ProgressReader;
import dev.forebay.control.engine.VersionReader;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.DatasetVersion;
import dev.forebay.service.Role;
import dev.forebay.workflows.message.AbandonRequest;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.ResumeRequest;
import dev.forebay.workflows.message.VersionStatus;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import java.time.Duration;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** One version: what regions hold of it, and how long they do. */
@Path("/api/v1/datasets/{namespace}/{name}/versions/{version}")
@Tag(name = "Versions")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class VersionsResource {

    private final DatasetVersions versions;
    private final VersionReader reader;
    private final ProgressReader progress;
    private final Regions regions;
    private final VersionLookup lookup;
    private final VersionCatalogue catalogue;
    private final WorkflowLinks links;

    VersionsResource(
            DatasetVersions versions,
            VersionReader reader,
            ProgressReader progress,
            Regions regions,
            VersionLookup lookup,
            VersionCatalogue catalogue,
            WorkflowLinks links) {
        this.versions = versions;
        this.reader = reader;
        this.progress = progress;
        this.regions = regions;
        this.lookup = lookup;
        this.catalogue = catalogue;
        this.links = links;
    }

    @GET
    @Operation(
            summary = "Show a version",
            description = "404 until somebody has asked for it in a region.")
    @APIResponse(responseCode = "200", description = "The version")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or nobody ever asked for the version")
    public VersionView get(@BeanParam @Valid VersionPath path) {
        return shown(reader.status(path.toVersion(lookup)));
    }

    @POST
    @Path("/evict")
    @Operation(
            summary = "Remove the version from a region",
            description =
                    "Answered when it is gone; 200 also if it was not there; 409 PINNED while somebody holds it.")
    @APIResponse(responseCode = "200", description = "The version")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or nobody ever asked for the version")
    @APIResponse(responseCode = "409", description = "PINNED")
    public VersionView evict(
            @BeanParam @Valid VersionPath path,
            @NotNull(message = Rules.REQUIRED) @Valid Eviction body) {
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
    @Operation(summary = "Set how long the version stays in a region after its last pin")
    @APIResponse(responseCode = "200", description = "The version")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or nobody ever asked for the version")
    public VersionView setTtl(
            @BeanParam @Valid VersionPath path,
            @NotNull(message = Rules.REQUIRED) @Valid Ttl body) {
        DatasetVersion version = path.toVersion(lookup);
        versions.setTtl(version, Duration.ofSeconds(body.ttlSeconds()));
        return shown(reader.statusOrNothing(version));
    }

    @POST
    @Path("/resume")
    @Operation(
            summary = "Let a region that is BLOCKED try again",
            description = "Does nothing if it is not blocked.")
    @APIResponse(responseCode = "200", description = "The version")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or nobody ever asked for the version")
    public VersionView resume(
            @BeanParam @Valid VersionPath path,
            @NotNull(message = Rules.REQUIRED) @Valid InRegion body) {
        DatasetVersion version = path.toVersion(lookup);
        versions.resume(version, new ResumeRequest(regions.require(body.region())));
        return shown(reader.statusOrNothing(version));
    }

    @POST
    @Path("/abandon")
    @Operation(
            summary = "Give up a region that is BLOCKED, with what it holds",
            description =
                    "Answered when it is gone; does nothing if it is not blocked; 409 PINNED while somebody holds it.")
    @APIResponse(responseCode = "200", description = "The version")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or nobody ever asked for the version")
    @APIResponse(responseCode = "409", description = "PINNED")
    public VersionView abandon(
            @BeanParam @Valid VersionPath path,
            @NotNull(message = Rules.REQUIRED) @Valid Eviction body) {
        DatasetVersion version = path.toVersion(lookup);
        String reason = body.reason();
        versions.abandon(
                version,
                new AbandonRequest(regions.require(body.region()), reason == null ? "" : reason));
        return shown(reader.statusOrNothing(version));
    }

    private VersionView shown(VersionStatus status) {
        return VersionView.of(progress.of(status), catalogue.origin(status.version()), links);
    }
}
