package dev.forebay.control.api.versions;

import dev.forebay.control.api.RequestRules;
import dev.forebay.control.api.WholeNumber;
import dev.forebay.control.catalogue.VersionLookup;
import dev.forebay.control.planning.RegionRating;
import dev.forebay.control.planning.RegionRatings;
import dev.forebay.control.planning.RegionRatings.Ranking;
import dev.forebay.model.DatasetName;
import dev.forebay.service.Role;
import dev.forebay.service.gateway.FillSpeed;
import dev.forebay.workflows.message.Residency;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The REST resource that ranks the regions for a job that reads a version. */
@Path("/api/v1/placements")
@Tag(name = "Regions")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class PlacementsResource {

    private static final int MOST_GPUS = 1_000_000;

    private final RegionRatings placements;
    private final VersionLookup lookup;

    PlacementsResource(RegionRatings placements, VersionLookup lookup) {
        this.placements = placements;
        this.lookup = lookup;
    }

    @GET
    @Operation(
            summary = "Rank the regions for a job that reads a version",
            description =
                    """
                    Ranks by the state in the region, the time until the version is complete, cost, coverage and free space, with reasons. \
                    Starts and writes nothing, like a plan. Does not consider how many GPUs are free at the moment.""")
    @APIResponse(responseCode = "200", description = "All regions, the best one first")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or it has no version yet")
    @APIResponse(responseCode = "422", description = "LAKE_EMPTY or LAKE_UNSUPPORTED")
    @APIResponse(responseCode = "502", description = "LAKE_DENIED")
    @APIResponse(responseCode = "503", description = "LAKE_UNAVAILABLE or UNAVAILABLE")
    public PlacementsView rank(
            @QueryParam("dataset")
                    @NotNull(message = RequestRules.REQUIRED)
                    @Pattern(regexp = RequestRules.DATASET, message = RequestRules.DATASET_RULE)
                    @Parameter(description = "namespace/name")
                    String dataset,
            @QueryParam("version")
                    @DefaultValue("latest")
                    @Pattern(regexp = RequestRules.VERSION, message = RequestRules.VERSION_RULE)
                    String version,
            @QueryParam("gpus")
                    @WholeNumber(min = 1, max = MOST_GPUS)
                    @Parameter(description = "The number of GPUs that the job needs")
                    @Nullable String gpus) {
        return PlacementsView.of(
                placements.of(
                        lookup.find(DatasetName.parse(dataset), version),
                        gpus == null ? null : Integer.valueOf(gpus)));
    }

    @Schema(name = "Placements", description = "The best regions for a job that reads a version")
    record PlacementsView(
            String dataset,
            String version,
            @Schema(description = "The currency of all costs, or null without prices")
                    @Nullable String currency,
            @Schema(description = "All regions, the best one first") List<PlacementView> items) {

        static PlacementsView of(Ranking ranking) {
            List<RegionRating> places = ranking.places();
            return new PlacementsView(
                    ranking.version().dataset().toString(),
                    ranking.version().version(),
                    ranking.currency(),
                    IntStream.range(0, places.size())
                            .mapToObj(i -> PlacementView.of(i + 1, places.get(i)))
                            .toList());
        }
    }

    @Schema(name = "RegionRating")
    record PlacementView(
            int rank,
            String region,
            Residency.State state,
            @Schema(
                            enumeration = {
                                "warm",
                                "can_be_filled",
                                "after_eviction",
                                "waits",
                                "unknown",
                                "refused",
                                "too_few_gpus"
                            })
                    String verdict,
            @Schema(
                            description =
                                    "The part of its bytes that is present, 0 to 1, or null if "
                                            + "unknown")
                    @Nullable Double coverage,
            @Schema(description = "Free space in the chunk stores, in bytes, or null if unknown")
                    @Nullable Long freeBytes,
            @Schema(
                            description =
                                    "Estimated seconds until the version is complete, or null if "
                                            + "unknown")
                    @Nullable Long etaSeconds,
            @Schema(description = "Lower bound, or null if unknown") @Nullable Long etaLeastSeconds,
            @Schema(description = "Upper bound, or null if unknown") @Nullable Long etaMostSeconds,
            @Schema(description = "The cost of the missing bytes, or null without prices")
                    @Nullable BigDecimal cost,
            @Schema(
                            description =
                                    "The most GPUs that a job can get there, or null if not "
                                            + "configured")
                    @Nullable Integer gpus,
            @Schema(description = "The reasons for its rank, as sentences") List<String> reasons) {

        static PlacementView of(int rank, RegionRating place) {
            FillSpeed.Estimate time = place.time();
            return new PlacementView(
                    rank,
                    place.region().value(),
                    place.state(),
                    place.verdict().name().toLowerCase(Locale.ROOT),
                    place.coverage(),
                    place.freeBytes(),
                    time == null ? null : time.likely().toSeconds(),
                    time == null ? null : time.least().toSeconds(),
                    time == null ? null : time.most().toSeconds(),
                    place.cost(),
                    place.gpus(),
                    place.reasons());
        }
    }
}
