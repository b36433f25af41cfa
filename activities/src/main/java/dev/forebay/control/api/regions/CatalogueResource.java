package dev.forebay.control.api.regions;

import dev.forebay.control.fsck.CatalogueRestore;
import dev.forebay.service.Role;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The REST resource that restores the catalogue in PostgreSQL. */
@Path("/api/v1/catalogue")
@Tag(name = "Catalogue")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class CatalogueResource {

    private final CatalogueRestore catalogue;

    CatalogueResource(CatalogueRestore catalogue) {
        this.catalogue = catalogue;
    }

    /**
     * The result of restoring one page.
     *
     * @param problems one message for each version that could not be restored
     * @param next the value of {@code after} for the next page; null at the end
     */
    record RestoredView(
            int restored, int unchanged, List<String> problems, @Nullable String next) {}

    @POST
    @Path("restore")
    @Operation(
            summary = "Restore datasets and versions that the catalogue has lost, page by page",
            description =
                    "Reads the pointers next to the manifests. Existing rows do not change. "
                            + "Deletions, quotas, aliases and tracking are not in the pointers, so they "
                            + "are not restored.")
    @APIResponse(
            responseCode = "200",
            description = "The versions of this page and the result " + "for each")
    public RestoredView restore(@QueryParam("after") @Nullable String after) {
        CatalogueRestore.Restored restored = catalogue.restore(after);
        return new RestoredView(
                restored.restored(), restored.unchanged(), restored.problems(), restored.next());
    }
}
