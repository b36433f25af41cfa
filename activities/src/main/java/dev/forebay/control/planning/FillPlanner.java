package dev.forebay.control.planning;

import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.ingest.LakeListing;
import dev.forebay.control.ingest.LakeListing.Size;
import dev.forebay.control.planning.FillPlan.InRegion;
import dev.forebay.control.planning.FillPlan.Needs;
import dev.forebay.control.planning.FillPlan.SpaceForecast;
import dev.forebay.control.prices.PriceTable;
import dev.forebay.control.regions.Regions;
import dev.forebay.control.requests.VersionReader;
import dev.forebay.lifecycle.Lifecycle;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.FillSpeed;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.gateway.RegionSurvey.Missing;
import dev.forebay.thread.ParallelCalls;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Urgency;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Forecasts the fills of regions with a version. It reads the lake, the regions and the catalogue,
 * and changes nothing: it starts no workflow and writes nothing. Thread-safe.
 */
@Singleton
public class FillPlanner {

    private final DatasetCatalogue datasets;
    private final VersionReader reader;
    private final Regions regions;
    private final LakeListing listing;
    private final AdmissionForecast admission;
    private final FillSources sources;
    private final PriceTable prices;

    FillPlanner(
            DatasetCatalogue datasets,
            VersionReader reader,
            Regions regions,
            LakeListing listing,
            AdmissionForecast admission,
            FillSources sources,
            PriceTable prices) {
        this.datasets = datasets;
        this.reader = reader;
        this.regions = regions;
        this.listing = listing;
        this.admission = admission;
        this.sources = sources;
        this.prices = prices;
    }

    /**
     * Plans a version in regions.
     *
     * @param in the regions; the plan of a region that does not answer contains the reason
     * @throws ForebayException {@code NOT_FOUND} for an unknown dataset; for a version that is not
     *     frozen, also {@code LAKE_EMPTY} and other failures of the listing
     */
    public FillPlan of(DatasetVersion version, List<RegionName> in) {
        Dataset dataset = datasets.require(version.dataset());
        VersionStatus status = reader.statusOrNothing(version);
        Size size = status.manifest() == null ? listing.of(dataset.source()) : null;
        return new FillPlan(
                version,
                status.manifest(),
                prices.isStated() ? prices.currency() : null,
                ParallelCalls.map(in, region -> in(region, status, size)));
    }

    private InRegion in(RegionName region, VersionStatus status, @Nullable Size size) {
        Residency.State state = Lifecycle.residency(status, region).state();
        RegionSurvey survey;
        try {
            survey = regions.survey(region, status.version(), status.manifest());
        } catch (ForebayException unanswered) {
            return new InRegion(
                    region,
                    state,
                    null,
                    List.of(),
                    null,
                    null,
                    null,
                    new Problem(unanswered.code(), String.valueOf(unanswered.getMessage())));
        }
        Needs needs = needs(status.manifest(), survey.missing(), size);
        return new InRegion(
                region,
                state,
                needs,
                needs == null
                        ? List.of()
                        : sources.of(region, status, needs.bytesMissing(), needs.lakeRequests()),
                space(region, status, size, survey),
                rate(survey.speed()),
                needs == null ? null : time(needs, survey.speed()),
                null);
    }

    private static @Nullable Needs needs(
            @Nullable ManifestRef manifest, @Nullable Missing missing, @Nullable Size size) {
        if (manifest != null && missing != null) {
            return new Needs(
                    manifest.bytes(),
                    manifest.objects(),
                    missing.bytes(),
                    missing.objects(),
                    missing.lakeRequests(),
                    missing.exact(),
                    false);
        }
        return size == null
                ? null
                : new Needs(
                        size.bytes(),
                        size.objects(),
                        size.bytes(),
                        size.objects(),
                        size.reads(),
                        false,
                        !size.whole());
    }

    private @Nullable SpaceForecast space(
            RegionName region, VersionStatus status, @Nullable Size size, RegionSurvey survey) {
        ManifestRef manifest = status.manifest();
        Long needed = survey.neededBytes();
        if (manifest != null && needed != null) {
            return admission.of(
                    status.version(),
                    region,
                    manifest.spaceBytes(),
                    needed,
                    survey,
                    Urgency.INTERACTIVE);
        }
        return size == null
                ? null
                : admission.of(
                        status.version(),
                        region,
                        size.spaceBytes(),
                        size.spaceBytes(),
                        survey,
                        Urgency.INTERACTIVE);
    }

    private static @Nullable Long rate(FillSpeed speed) {
        FillSpeed.Spread rate = speed.rate();
        return rate == null ? null : Math.round(rate.likely());
    }

    private static FillSpeed.@Nullable Estimate time(Needs needs, FillSpeed speed) {
        return speed.estimate(needs.bytesMissing(), needs.lakeRequests()).orElse(null);
    }
}
