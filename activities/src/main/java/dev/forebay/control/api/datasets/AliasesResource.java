package dev.forebay.control.api.datasets;

import dev.forebay.control.api.DatasetPath;
import dev.forebay.control.api.RequestRules;
import dev.forebay.control.catalogue.AliasCatalogue;
import dev.forebay.control.catalogue.AliasCatalogue.Alias;
import dev.forebay.control.catalogue.VersionLookup;
import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.service.Role;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The REST resource of aliases: names that users move from one version of a dataset to another. */
@Path("/api/v1/datasets/{namespace}/{name}/aliases")
@Tag(name = "Versions")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class AliasesResource {

    private final AliasCatalogue aliases;
    private final VersionLookup lookup;

    AliasesResource(AliasCatalogue aliases, VersionLookup lookup) {
        this.aliases = aliases;
        this.lookup = lookup;
    }

    @GET
    @Operation(summary = "List the aliases of a dataset, by name")
    @APIResponse(responseCode = "200", description = "Aliases")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: no such dataset")
    public AliasPage list(@BeanParam @Valid DatasetPath path) {
        return new AliasPage(
                aliases.list(path.toName()).stream().map(AliasView::of).toList(), null);
    }

    @PUT
    @Path("/{alias}")
    @Operation(
            summary = "Let an alias name a version",
            description =
                    "Requests that use the alias get this version from now on. Open requests "
                            + "keep the version that they got. Has no effect if the alias already names "
                            + "it.")
    @APIResponse(responseCode = "200", description = "The alias")
    @APIResponse(
            responseCode = "400",
            description =
                    "INVALID_ARGUMENT: latest and digests cannot be aliases, and a dataset has "
                            + "at most 100")
    @APIResponse(
            responseCode = "404",
            description =
                    "NOT_FOUND: the dataset or version does not exist, or the version is "
                            + "not frozen")
    @APIResponse(
            responseCode = "409",
            description = "ALREADY_EXISTS: the dataset has a version " + "with this name")
    public AliasView move(
            @BeanParam @Valid DatasetPath path,
            @PathParam("alias")
                    @Pattern(regexp = RequestRules.VERSION, message = RequestRules.VERSION_RULE)
                    String alias,
            @NotNull(message = RequestRules.REQUIRED) @Valid Moved body) {
        VersionLookup.requireName("alias", alias);
        DatasetName dataset = path.toName();
        return AliasView.of(aliases.move(lookup.find(dataset, body.version()), alias));
    }

    @DELETE
    @Path("/{alias}")
    @Operation(
            summary = "Remove an alias",
            description = "The version stays. Has no effect if the alias does not exist.")
    @APIResponse(responseCode = "204", description = "The alias does not exist any more")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: no such dataset")
    public void remove(
            @BeanParam @Valid DatasetPath path,
            @PathParam("alias")
                    @Pattern(regexp = RequestRules.VERSION, message = RequestRules.VERSION_RULE)
                    String alias) {
        aliases.remove(path.toName(), alias);
    }

    @Schema(name = "Alias")
    record AliasView(
            String alias,
            String version,
            @Schema(description = "The previous version of the alias, or null if it never moved")
                    @Nullable String before,
            Instant movedAt) {

        static AliasView of(Alias alias) {
            DatasetVersion before = alias.before();
            return new AliasView(
                    alias.name(),
                    alias.version().version(),
                    before == null ? null : before.version(),
                    alias.movedAt());
        }
    }

    @Schema(name = "AliasPage")
    record AliasPage(List<AliasView> items, @Nullable String next) {}

    @Schema(name = "Moved")
    record Moved(
            @NotNull(message = RequestRules.REQUIRED)
                    @Pattern(regexp = RequestRules.VERSION, message = RequestRules.VERSION_RULE)
                    @Schema(
                            description =
                                    "The version that the alias names from now on: a name, a "
                                            + "digest, latest, or another alias, which is "
                                            + "resolved now")
                    String version) {}
}
