package dev.forebay.agent.gateway;

import dev.forebay.agent.repair.ChunkAudit;
import dev.forebay.agent.workers.Workers;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.membership.RegionState;
import dev.forebay.membership.RegionView;
import dev.forebay.model.Digest;
import dev.forebay.service.Role;
import dev.forebay.service.Workspace;
import dev.forebay.service.gateway.VerifyReport;
import dev.forebay.service.gateway.VerifyRequest;
import dev.forebay.transfer.RegionFiles;
import dev.forebay.transfer.RegionFilesConfig;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerSet;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.File;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** The part of the agent's gateway that serves the control plane's comparison of the stores. */
@Path("/v1")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.CONTROL_PLANE_NAME)
class AuditResource {

    private final ChunkAudit audit;
    private final RegionFiles files;
    private final Workspace workspace;
    private final CurrentVertxRequest current;

    AuditResource(
            Workers workers,
            RegionState region,
            WorkerClient client,
            ManifestCache manifests,
            Workspace workspace,
            CurrentVertxRequest current) {
        this.audit = new ChunkAudit(workers, manifests::open);
        this.files =
                new RegionFiles(client, () -> known(region.view()), RegionFilesConfig.defaults());
        this.workspace = workspace;
        this.current = current;
    }

    private static WorkerSet known(RegionView view) {
        return new WorkerSet(view.workers(), view.live());
    }

    @POST
    @Path("/verify")
    @Operation(hidden = true)
    public VerifyReport verify(VerifyRequest request) {
        return audit.of(request);
    }

    /** Returns a worker's copy of the manifest of a mounted version. */
    @GET
    @Path("/manifests/{digest}")
    @Produces(MediaType.APPLICATION_OCTET_STREAM)
    @Operation(hidden = true)
    public File manifest(String digest) {
        Workspace.Temporary folder = workspace.temporary("copy-");
        current.getCurrent().addEndHandler(_ -> folder.close());
        java.nio.file.Path file = folder.path().resolve("manifest.sqlite");
        files.manifest(new Digest(digest), file);
        return file.toFile();
    }
}
