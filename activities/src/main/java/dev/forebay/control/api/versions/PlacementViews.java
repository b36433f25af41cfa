package dev.forebay.control.api.versions;

import dev.forebay.control.planning.RegionRating;
import dev.forebay.control.planning.RegionRatings.Ranking;
import dev.forebay.service.gateway.FillSpeed;
import dev.forebay.workflows.message.Residency;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The response bodies of placement advice. */
final class PlacementViews {

    private PlacementViews() {}

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
