package dev.forebay.control.api.regions;

import dev.forebay.control.api.RequestRules;
import dev.forebay.control.catalogue.QuotaCatalogue;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.RegionName;
import dev.forebay.service.Role;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The REST resource of the quotas of a namespace. */
@Path("/api/v1/namespaces/{namespace}/quota")
@Tag(name = "Quotas")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class QuotasResource {

    private final QuotaCatalogue quotas;
    private final Regions regions;

    QuotasResource(QuotaCatalogue quotas, Regions regions) {
        this.quotas = quotas;
        this.regions = regions;
    }

    @GET
    @Operation(summary = "List the quotas of a namespace. Without a quota its space is not limited")
    @APIResponse(responseCode = "200", description = "Quotas")
    public QuotaPage list(
            @PathParam("namespace")
                    @Pattern(regexp = RequestRules.NAME, message = RequestRules.NAME_RULE)
                    String namespace) {
        return new QuotaPage(quotas.list(namespace).stream().map(QuotaView::of).toList(), null);
    }

    @PUT
    @Operation(
            summary = "Set the quota of a namespace, in one region or all regions",
            description =
                    "Applies to the next admission. The next sweep evicts unpinned versions "
                            + "until the namespace is within its quota.")
    @APIResponse(responseCode = "200", description = "All quotas of the namespace")
    public QuotaPage set(
            @PathParam("namespace")
                    @Pattern(regexp = RequestRules.NAME, message = RequestRules.NAME_RULE)
                    String namespace,
            @NotNull(message = RequestRules.REQUIRED) @Valid Quota body) {
        quotas.set(namespace, new QuotaCatalogue.Quota(required(body.region()), body.bytes()));
        return list(namespace);
    }

    @DELETE
    @Operation(
            summary =
                    "Remove the quota of a namespace for one region, or the one for all "
                            + "regions")
    @APIResponse(responseCode = "200", description = "The remaining quotas of the namespace")
    public QuotaPage remove(
            @PathParam("namespace")
                    @Pattern(regexp = RequestRules.NAME, message = RequestRules.NAME_RULE)
                    String namespace,
            @QueryParam("region")
                    @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
                    @Nullable String region) {
        quotas.remove(namespace, region == null ? null : new RegionName(region));
        return list(namespace);
    }

    private @Nullable RegionName required(@Nullable String region) {
        return region == null ? null : regions.require(region);
    }

    @Schema(name = "QuotaView", description = "The most space for a namespace in a region")
    record QuotaView(
            @Schema(
                            description =
                                    "The region. Null: every region without a quota of its own for "
                                            + "the namespace")
                    @Nullable String region,
            long bytes) {

        static QuotaView of(QuotaCatalogue.Quota quota) {
            RegionName region = quota.region();
            return new QuotaView(region == null ? null : region.value(), quota.bytes());
        }
    }

    @Schema(name = "QuotaPage")
    record QuotaPage(List<QuotaView> items, @Nullable String next) {}

    @Schema(name = "Quota")
    record Quota(
            @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
                    @Schema(
                            description =
                                    "The region. Absent: every region without a quota of its own "
                                            + "for the namespace")
                    @Nullable String region,
            @NotNull(message = RequestRules.REQUIRED)
                    @Min(value = 0, message = RequestRules.QUOTA_RULE)
                    @Schema(
                            description =
                                    "The most space for the namespace's versions there, in "
                                            + "bytes")
                    Long bytes) {}
}
