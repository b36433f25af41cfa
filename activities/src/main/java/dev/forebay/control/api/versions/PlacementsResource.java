package dev.forebay.control.api.versions;

import dev.forebay.control.api.Rules;
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
                    By what it would meet there, the time until the version is warm, cost, coverage and free room, each with its reasons. \
                    Nothing begins and nothing is written, as with a plan. How many GPUs are free at the moment is for a scheduler to know.""")
    @APIResponse(responseCode = "200", description = "All regions, the best first")
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or it has no version yet")
    @APIResponse(responseCode = "422", description = "LAKE_EMPTY or LAKE_UNSUPPORTED")
    @APIResponse(responseCode = "502", description = "LAKE_DENIED")
    @APIResponse(responseCode = "503", description = "LAKE_UNAVAILABLE or UNAVAILABLE")
    public PlacementsView rank(
            @QueryParam("dataset")
                    @NotNull(message = Rules.REQUIRED)
                    @Pattern(regexp = Rules.DATASET, message = Rules.DATASET_RULE)
                    @Parameter(description = "namespace/name")
                    String dataset,
            @QueryParam("version")
                    @DefaultValue("latest")
                    @Pattern(regexp = Rules.VERSION, message = Rules.VERSION_RULE)
                    String version,
            @QueryParam("gpus")
                    @WholeNumber(min = 1, max = MOST_GPUS)
                    @Parameter(description = "How many the job needs")
                    @Nullable String gpus) {
        return PlacementsView.of(
                placements.of(
                        lookup.find(DatasetName.parse(dataset), version),
                        gpus == null ? null : Integer.valueOf(gpus)));
    }

    @Schema(name = "Placements", description = "Where a job that reads a version would best run")
    record PlacementsView(
            String dataset,
            String version,
            @Schema(description = "Of all costs; null if no price is stated")
                    @Nullable String currency,
            @Schema(description = "All regions, the best first") List<PlacementView> items) {

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
            @Schema(description = "The part of its bytes that is there, 0 to 1; null if unknown")
                    @Nullable Double coverage,
            @Schema(description = "Of the stores, what no version takes; null if unknown")
                    @Nullable Long freeBytes,
            @Schema(description = "Until it would be warm, probably; null if unknown")
                    @Nullable Long etaSeconds,
            @Schema(description = "At least; null if unknown") @Nullable Long etaLeastSeconds,
            @Schema(description = "At most; null if unknown") @Nullable Long etaMostSeconds,
            @Schema(description = "Of what is missing; null if no price is stated")
                    @Nullable BigDecimal cost,
            @Schema(description = "How many a job can get; null if nobody has stated it")
                    @Nullable Integer gpus,
            @Schema(description = "Why it is where it is, in words") List<String> reasons) {

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
