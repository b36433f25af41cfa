package dev.forebay.control.api.regions;

import dev.forebay.control.api.CauseView;
import dev.forebay.control.api.RequestRules;
import dev.forebay.control.api.WholeNumber;
import dev.forebay.control.catalogue.reports.BlockedCatalogue;
import dev.forebay.control.catalogue.reports.BlockedCatalogue.BlockedVersion;
import dev.forebay.control.catalogue.reports.BlockedCatalogue.Place;
import dev.forebay.service.Role;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The REST resource that lists the versions that are BLOCKED, across all datasets. */
@Path("/api/v1/blocked")
@Tag(name = "Versions")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class BlockedResource {

    private static final int LONGEST_PAGE = 1000;
    private static final int LONGEST_CURSOR = 400;

    private final BlockedCatalogue blocked;

    BlockedResource(BlockedCatalogue blocked) {
        this.blocked = blocked;
    }

    @GET
    @Operation(summary = "List the versions that are BLOCKED in a region, of all datasets")
    @APIResponse(
            responseCode = "200",
            description = "The versions, each with the reason and the " + "remedy")
    public BlockedPage list(
            @QueryParam("limit") @DefaultValue("1000") @WholeNumber(min = 1, max = LONGEST_PAGE)
                    String limit,
            @QueryParam("after")
                    @DefaultValue("")
                    @Pattern(regexp = Place.PATTERN, message = RequestRules.AFTER_RULE)
                    @Size(max = LONGEST_CURSOR, message = RequestRules.AFTER_RULE)
                    String after) {
        int size = Integer.parseInt(limit);
        List<BlockedVersion> page = blocked.list(Place.parse(after), size);
        return new BlockedPage(
                page.stream().map(BlockedView::of).toList(),
                page.size() < size ? null : page.getLast().place().toString());
    }

    @Schema(name = "BlockedVersion", description = "A version that is BLOCKED in a region")
    record BlockedView(String dataset, String version, String region, CauseView blocked) {

        static BlockedView of(BlockedVersion found) {
            return new BlockedView(
                    found.version().dataset().toString(),
                    found.version().version(),
                    found.region().value(),
                    new CauseView(found.problem().code(), found.problem().message()));
        }
    }

    @Schema(name = "BlockedPage")
    record BlockedPage(List<BlockedView> items, @Nullable String next) {}
}
