package dev.forebay.control.planning;

import dev.forebay.control.regions.Regions;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import jakarta.inject.Singleton;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ranks the regions for a job that reads a version. It reads the same data as a {@link FillPlanner}
 * and changes nothing. Thread-safe.
 */
@Singleton
public class RegionRatings {

    private final FillPlanner planner;
    private final Regions regions;

    RegionRatings(FillPlanner planner, Regions regions) {
        this.planner = planner;
        this.regions = regions;
    }

    /**
     * The ranked regions for a version.
     *
     * @param currency the currency of all costs; null if no price is configured
     * @param places every region of the installation, the best first
     */
    public record Ranking(
            DatasetVersion version, @Nullable String currency, List<RegionRating> places) {}

    /**
     * Ranks all regions.
     *
     * @param gpus the number of GPUs that the job needs; null if it is unknown
     * @throws ForebayException as {@link FillPlanner#of}
     */
    public Ranking of(DatasetVersion version, @Nullable Integer gpus) {
        FillPlan plan = planner.of(version, regions.names().stream().map(RegionName::new).toList());
        RegionRatingRules rules =
                new RegionRatingRules(plan.currency(), gpus, in -> regions.gpus(in.region()));
        return new Ranking(version, plan.currency(), rules.rank(plan.regions()));
    }
}
