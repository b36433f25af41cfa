package dev.forebay.control.api.datasets;

import dev.forebay.control.api.DatasetPath;
import dev.forebay.control.api.RequestRules;
import dev.forebay.control.api.WholeNumber;
import dev.forebay.control.api.WorkflowLinks;
import dev.forebay.control.api.versions.VersionView;
import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.LakeSource;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.control.ingest.SourceProbe;
import dev.forebay.control.tracking.DatasetTracking;
import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.service.Role;
import dev.forebay.workflows.message.VersionStatus;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;
import org.jspecify.annotations.Nullable;

/** The REST resource of registered datasets and their lists of versions. */
@Path("/api/v1/datasets")
@Tag(name = "Datasets")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class DatasetsResource {

    private static final int LONGEST_PAGE = 1000;
    private static final String CURSOR =
            "[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?/[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?";
    private static final String CURSOR_RULE = "must be the field next of a page, namespace/name";

    private final DatasetCatalogue datasets;
    private final SourceProbe probe;
    private final VersionCatalogue versions;
    private final DatasetTracking tracking;
    private final WorkflowLinks links;
    private final ControlPlaneConfig config;

    DatasetsResource(
            DatasetCatalogue datasets,
            SourceProbe probe,
            VersionCatalogue versions,
            DatasetTracking tracking,
            WorkflowLinks links,
            ControlPlaneConfig config) {
        this.datasets = datasets;
        this.probe = probe;
        this.versions = versions;
        this.tracking = tracking;
        this.links = links;
        this.config = config;
    }

    @POST
    @Operation(
            summary = "Register a dataset",
            description =
                    "Returns 201 for a new dataset, 200 for an identical one, and 409 if the "
                            + "name has another source. Forebay checks the source of a new dataset: 400 "
                            + "if Forebay writes to that bucket, 502 LAKE_DENIED or 422 LAKE_UNSUPPORTED "
                            + "if it cannot create a version from it.")
    @APIResponse(responseCode = "201", description = "Registered")
    @APIResponse(responseCode = "200", description = "The same dataset is registered already")
    @APIResponse(responseCode = "409", description = "ALREADY_EXISTS, with another source or TTL")
    @APIResponse(responseCode = "422", description = "LAKE_UNSUPPORTED")
    @APIResponse(responseCode = "502", description = "LAKE_DENIED")
    public RestResponse<DatasetView> register(
            @NotNull(message = RequestRules.REQUIRED) @Valid NewDataset body) {
        DatasetName name = new DatasetName(body.namespace(), body.name());
        LakeSource source = body.lakeSource();
        Optional<String> note = datasets.isKnown(name) ? Optional.empty() : probe.check(source);
        DatasetTtl ttl = body.ttl();
        DatasetCatalogue.Registered registered =
                datasets.register(name, source, ttl.duration(), ttl.begin(), config.defaultTtl());
        return RestResponse.status(
                registered.created() ? RestResponse.Status.CREATED : RestResponse.Status.OK,
                DatasetView.of(registered.dataset(), note.orElse(null)));
    }

    @GET
    @Operation(summary = "List datasets that are not deleted, by name")
    @APIResponse(responseCode = "200", description = "Datasets")
    public DatasetPage list(
            @QueryParam("namespace")
                    @Pattern(regexp = RequestRules.NAME, message = RequestRules.NAME_RULE)
                    @Nullable String namespace,
            @QueryParam("limit") @DefaultValue("100") @WholeNumber(min = 1, max = LONGEST_PAGE)
                    String limit,
            @QueryParam("after") @Pattern(regexp = CURSOR, message = CURSOR_RULE)
                    @Nullable String after) {
        int size = Integer.parseInt(limit);
        List<Dataset> page =
                datasets.list(namespace, after == null ? null : DatasetName.parse(after), size);
        return new DatasetPage(
                page.stream().map(DatasetView::of).toList(),
                page.size() < size ? null : page.getLast().name().toString());
    }

    @GET
    @Path("/{namespace}/{name}")
    @Operation(summary = "Show a dataset")
    @APIResponse(responseCode = "200", description = "The dataset")
    @APIResponse(responseCode = "404", description = "NOT_FOUND")
    public DatasetView get(@BeanParam @Valid DatasetPath path) {
        return DatasetView.of(datasets.get(path.toName()));
    }

    @PUT
    @Path("/{namespace}/{name}/ttl")
    @Operation(
            summary = "Set how long future versions stay in a region",
            description =
                    "Existing versions keep their ttl_seconds, which can be changed for each "
                            + "version. ttl_after applies to all versions.")
    @APIResponse(responseCode = "200", description = "The dataset")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: no such dataset")
    public DatasetView setTtl(
            @BeanParam @Valid DatasetPath path,
            @NotNull(message = RequestRules.REQUIRED) @Valid DatasetTtl body) {
        return DatasetView.of(datasets.setTtl(path.toName(), body.duration(), body.begin()));
    }

    @DELETE
    @Path("/{namespace}/{name}")
    @Operation(
            summary = "Delete a dataset",
            description =
                    "The dataset gets no new versions or pins, and does not follow its source "
                            + "any more. In each region, the next sweep that finds its versions unpinned "
                            + "evicts them. The originals stay. The name remains reserved for this "
                            + "source: a new registration restores the dataset.")
    @APIResponse(responseCode = "204", description = "The dataset is deleted")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: the dataset was never registered")
    public void delete(@BeanParam @Valid DatasetPath path) {
        DatasetName name = path.toName();
        datasets.delete(name);
        tracking.stop(name);
    }

    @GET
    @Path("/{namespace}/{name}/versions")
    @Operation(summary = "List the requested versions of a dataset, by name")
    @APIResponse(responseCode = "200", description = "Versions")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: no such dataset")
    public VersionPage versions(
            @BeanParam @Valid DatasetPath path,
            @QueryParam("limit") @DefaultValue("1000") @WholeNumber(min = 1, max = LONGEST_PAGE)
                    String limit,
            @QueryParam("after")
                    @Pattern(regexp = RequestRules.VERSION, message = RequestRules.VERSION_RULE)
                    @Nullable String after) {
        DatasetName name = datasets.get(path.toName()).name();
        int size = Integer.parseInt(limit);
        List<VersionStatus> page =
                versions.list(name, after == null ? null : new DatasetVersion(name, after), size);
        return new VersionPage(
                page.stream().map(version -> VersionView.of(version, links)).toList(),
                page.size() < size ? null : page.getLast().version().version());
    }

    @Schema(name = "DatasetPage")
    record DatasetPage(List<DatasetView> items, @Nullable String next) {}

    @Schema(name = "VersionPage")
    record VersionPage(List<VersionView> items, @Nullable String next) {}
}
