package dev.forebay.control.api.versions;

import dev.forebay.control.api.RequestRules;
import dev.forebay.control.api.VersionPath;
import dev.forebay.control.catalogue.VersionLookup;
import dev.forebay.control.pins.PinRenewals;
import dev.forebay.control.regions.Regions;
import dev.forebay.control.requests.VersionReader;
import dev.forebay.control.requests.VersionRequests;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.Role;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.UnpinRequest;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jspecify.annotations.Nullable;

/** The REST resource of the pins of a version. */
@Path("/api/v1/datasets/{namespace}/{name}/versions/{version}/pins")
@Tag(name = "Pins")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class PinsResource {

    private static final int CREATED = 201;

    private final VersionRequests versions;
    private final VersionReader reader;
    private final PinRenewals renewals;
    private final Regions regions;
    private final VersionLookup lookup;

    PinsResource(
            VersionRequests versions,
            VersionReader reader,
            PinRenewals renewals,
            Regions regions,
            VersionLookup lookup) {
        this.versions = versions;
        this.reader = reader;
        this.renewals = renewals;
        this.regions = regions;
        this.lookup = lookup;
    }

    @POST
    @ResponseStatus(CREATED)
    @Operation(
            summary = "Pin the version in a region where it is WARMING or CACHED",
            description =
                    "Returns 409 EVICTING while the version is evicted: retry after the "
                            + "eviction.")
    @APIResponse(responseCode = "201", description = "Held")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: the version is not in the region")
    @APIResponse(
            responseCode = "409",
            description = "EVICTING, or ALREADY_EXISTS if another holder has a pin with this id")
    @APIResponse(
            responseCode = "507",
            description = "CAPACITY_EXCEEDED: the version has too many pins")
    public PinView pin(
            @BeanParam @Valid VersionPath path,
            @NotNull(message = RequestRules.REQUIRED) @Valid NewPin body) {
        DatasetVersion version = path.toVersion(lookup);
        RegionName region = regions.require(body.region());
        return PinView.of(
                version,
                versions.pin(version, body.toRequest(region, UUID.randomUUID().toString())));
    }

    @GET
    @Operation(summary = "List the pins on the version, in all regions")
    @APIResponse(responseCode = "200", description = "Pins")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or no client has ever requested the version")
    public PinPage list(@BeanParam @Valid VersionPath path) {
        DatasetVersion version = path.toVersion(lookup);
        return new PinPage(
                reader.status(version).pins().stream()
                        .map(pin -> PinView.of(version, pin))
                        .toList(),
                null);
    }

    @POST
    @Path("/{id}/renew")
    @Operation(
            summary = "Renew a pin for another lease",
            description =
                    "Writes to the region's etcd, without Temporal and the catalogue. Therefore "
                            + "the version must be given by its own name. Returns 404 when the pin has "
                            + "ended.")
    @APIResponse(responseCode = "200", description = "The pin")
    @APIResponse(responseCode = "404", description = "NOT_FOUND: the pin has ended")
    public PinView renew(
            @BeanParam @Valid VersionPath path,
            @PathParam("id") @Pattern(regexp = RequestRules.ID, message = RequestRules.ID_RULE)
                    String id,
            @NotNull(message = RequestRules.REQUIRED) @Valid InRegion body) {
        DatasetVersion version = path.toNamed();
        return PinView.of(version, renewals.renew(version, regions.require(body.region()), id));
    }

    @DELETE
    @Path("/{id}")
    @Operation(
            summary = "Release a pin",
            description =
                    "Has no effect if the pin has ended or, with `taken_at`, if it was taken "
                            + "again since.")
    @APIResponse(responseCode = "204", description = "The pin does not exist any more")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or no client has ever requested the version")
    public void unpin(
            @BeanParam @Valid VersionPath path,
            @PathParam("id") @Pattern(regexp = RequestRules.ID, message = RequestRules.ID_RULE)
                    String id,
            @QueryParam("region")
                    @NotNull(message = RequestRules.REQUIRED)
                    @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
                    String region,
            @QueryParam("taken_at")
                    @Pattern(regexp = RequestRules.INSTANT, message = RequestRules.INSTANT_RULE)
                    @Nullable String takenAt) {
        versions.unpin(
                path.toVersion(lookup),
                new UnpinRequest(regions.require(region), id, instant(takenAt)));
    }

    private static @Nullable Instant instant(@Nullable String takenAt) {
        try {
            return takenAt == null ? null : Instant.parse(takenAt);
        } catch (DateTimeParseException e) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "taken_at is '%s' and %s".formatted(takenAt, RequestRules.INSTANT_RULE),
                    e);
        }
    }

    @Schema(name = "NewPin")
    record NewPin(
            @NotNull(message = RequestRules.REQUIRED)
                    @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
                    String region,
            @Pattern(regexp = RequestRules.ID, message = RequestRules.ID_RULE)
                    @Schema(
                            description =
                                    "A request with the same id and holder renews the pin. "
                                            + "Absent: Forebay generates an id")
                    @Nullable String id,
            @NotNull(message = RequestRules.REQUIRED)
                    @Pattern(regexp = RequestRules.HOLDER, message = RequestRules.HOLDER_RULE)
                    @Size(max = RequestRules.TEXT_LENGTH, message = RequestRules.HOLDER_RULE)
                    String holder,
            @Pattern(regexp = RequestRules.TEXT, message = RequestRules.TEXT_RULE)
                    @Size(max = RequestRules.TEXT_LENGTH, message = RequestRules.TEXT_RULE)
                    @Nullable String reason,
            @NotNull(message = RequestRules.REQUIRED)
                    @Min(value = RequestRules.MIN_LEASE_SECONDS, message = RequestRules.LEASE_RULE)
                    @Max(value = RequestRules.MAX_LEASE_SECONDS, message = RequestRules.LEASE_RULE)
                    Long leaseSeconds,
            @Pattern(regexp = RequestRules.ID, message = RequestRules.ID_RULE)
                    @Schema(description = "The uid of the Kubernetes Job that owns the pin")
                    @Nullable String job) {

        PinRequest toRequest(RegionName in, String idIfNone) {
            return new PinSpec(id, holder, reason, leaseSeconds, job).toRequest(in, idIfNone);
        }
    }
}
