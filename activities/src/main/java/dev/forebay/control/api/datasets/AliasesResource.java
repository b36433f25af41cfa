package dev.forebay.control.api.datasets;

import dev.forebay.control.api.DatasetPath;
import dev.forebay.control.api.Rules;
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
            summary = "Have an alias mean a version from now on",
            description =
                    "Wherever a version is asked for by the alias, that one is meant; requests that are under way keep what they meant. Does nothing if it means it already.")
    @APIResponse(responseCode = "200", description = "The alias")
    @APIResponse(
            responseCode = "400",
            description =
                    "INVALID_ARGUMENT: latest, or a digest, is no alias; or there are 100 already")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset or version, or it is not frozen")
    @APIResponse(responseCode = "409", description = "ALREADY_EXISTS: a version has this name")
    public AliasView move(
            @BeanParam @Valid DatasetPath path,
            @PathParam("alias") @Pattern(regexp = Rules.VERSION, message = Rules.VERSION_RULE)
                    String alias,
            @NotNull(message = Rules.REQUIRED) @Valid Moved body) {
        VersionLookup.requireName("alias", alias);
        DatasetName dataset = path.toName();
        return AliasView.of(aliases.move(lookup.find(dataset, body.version()), alias));
    }

    @DELETE
    @Path("/{alias}")
    @Operation(
            summary = "Remove an alias",
            description = "What it means stays. Does nothing without one.")
    @APIResponse(responseCode = "204", description = "There is none")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: no such dataset")
    public void remove(
            @BeanParam @Valid DatasetPath path,
            @PathParam("alias") @Pattern(regexp = Rules.VERSION, message = Rules.VERSION_RULE)
                    String alias) {
        aliases.remove(path.toName(), alias);
    }

    @Schema(name = "Alias")
    record AliasView(
            String alias,
            String version,
            @Schema(description = "What it meant before it was moved last; null if it was not")
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
            @NotNull(message = Rules.REQUIRED)
                    @Pattern(regexp = Rules.VERSION, message = Rules.VERSION_RULE)
                    @Schema(
                            description =
                                    "The version that the alias means from now on: its name, its digest, latest, or what another alias means now")
                    String version) {}
}
