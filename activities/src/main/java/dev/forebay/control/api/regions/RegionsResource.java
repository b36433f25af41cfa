package dev.forebay.control.api.regions;

import dev.forebay.control.api.CauseView;
import dev.forebay.control.api.RequestRules;
import dev.forebay.control.api.WholeNumber;
import dev.forebay.control.api.versions.PinPage;
import dev.forebay.control.api.versions.PinView;
import dev.forebay.control.catalogue.PinCatalogue;
import dev.forebay.control.catalogue.PinCatalogue.Place;
import dev.forebay.control.pins.PinAudit;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.RegionName;
import dev.forebay.service.Role;
import dev.forebay.service.gateway.RegionReport;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.net.URI;
import java.util.List;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The REST resource of regions, and of the pins across all versions. */
@Path("/api/v1")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class RegionsResource {

    private static final int LONGEST_PAGE = 1000;
    private static final int LONGEST_CURSOR = 400;

    private final Regions regions;
    private final PinCatalogue pins;
    private final PinAudit audit;

    RegionsResource(Regions regions, PinCatalogue pins, PinAudit audit) {
        this.regions = regions;
        this.pins = pins;
        this.audit = audit;
    }

    @GET
    @Path("/regions")
    @Tag(name = "Regions")
    @Operation(summary = "List the regions with their workers")
    @APIResponse(responseCode = "200", description = "Regions")
    public RegionPage list() {
        return new RegionPage(regions.reports().stream().map(RegionView::of).toList(), null);
    }

    @GET
    @Path("/pins/leaked")
    @Tag(name = "Pins")
    @Operation(
            summary = "List pins whose owners seem to be gone, of one region or of all",
            description =
                    "Reads the region's etcd: pins that are unknown to their version's workflow, "
                            + "and pins that were not renewed for half of their lease.")
    @APIResponse(responseCode = "200", description = "The pins, each with the reason")
    @APIResponse(responseCode = "503", description = "UNAVAILABLE: a region does not answer")
    public PinPage leaked(
            @QueryParam("region")
                    @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
                    @Nullable String region) {
        Stream<RegionName> asked =
                region == null
                        ? regions.names().stream().map(RegionName::new)
                        : Stream.of(regions.require(region));
        return new PinPage(
                asked.flatMap(each -> audit.leaked(each).stream()).map(PinView::of).toList(), null);
    }

    @GET
    @Path("/pins")
    @Tag(name = "Pins")
    @Operation(summary = "List pins by version, of one region or of all")
    @APIResponse(responseCode = "200", description = "Pins")
    public PinPage pins(
            @QueryParam("region")
                    @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
                    @Nullable String region,
            @QueryParam("limit") @DefaultValue("1000") @WholeNumber(min = 1, max = LONGEST_PAGE)
                    String limit,
            @QueryParam("after")
                    @DefaultValue("")
                    @Pattern(regexp = Place.PATTERN, message = RequestRules.AFTER_RULE)
                    @Size(max = LONGEST_CURSOR, message = RequestRules.AFTER_RULE)
                    String after) {
        int size = Integer.parseInt(limit);
        List<PinCatalogue.Held> page =
                pins.list(
                        region == null ? null : regions.require(region), Place.parse(after), size);
        return new PinPage(
                page.stream().map(held -> PinView.of(held.version(), held.pin())).toList(),
                page.size() < size ? null : page.getLast().place().toString());
    }

    @Schema(name = "Region")
    record RegionView(
            String name,
            @Nullable String mountRoot,
            URI agent,
            @Schema(description = "Whether its agent answers") boolean reachable,
            @Schema(description = "Whether its etcd answers the agent, or null if unknown")
                    @Nullable Boolean etcdReachable,
            @Schema(
                            description =
                                    "The reason why the region accepts no work at the moment, or "
                                            + "null")
                    @Nullable CauseView problem,
            List<RegionReport.WorkerReport> workers) {

        static RegionView of(Regions.Reported region) {
            return new RegionView(
                    region.name().value(),
                    region.report().map(RegionReport::mountRoot).orElse(null),
                    region.agent(),
                    region.report().isPresent(),
                    region.report().map(RegionReport::etcdReachable).orElse(null),
                    CauseView.of(region.problem().orElse(null)),
                    region.report().map(RegionReport::workers).orElse(List.of()));
        }
    }

    @Schema(name = "RegionPage")
    record RegionPage(List<RegionView> items, @Nullable String next) {}
}
