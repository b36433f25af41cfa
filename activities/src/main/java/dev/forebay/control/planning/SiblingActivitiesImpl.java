package dev.forebay.control.planning;

import dev.forebay.control.prices.PriceTable;
import dev.forebay.control.regions.Regions;
import dev.forebay.control.requests.VersionReader;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.model.Sibling;
import dev.forebay.service.gateway.RegionSurvey.Missing;
import dev.forebay.workflows.activity.SiblingActivities;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.util.List;
import org.jboss.logging.Logger;

/**
 * Chooses the sibling regions of a fill, by the rule that plans use, from the bytes that are
 * missing now.
 */
@Singleton
public class SiblingActivitiesImpl implements SiblingActivities {

    private static final Logger LOG = Logger.getLogger(SiblingActivitiesImpl.class);

    private final VersionReader reader;
    private final Regions regions;
    private final FillSources sources;
    private final PriceTable prices;

    SiblingActivitiesImpl(
            VersionReader reader, Regions regions, FillSources sources, PriceTable prices) {
        this.reader = reader;
        this.regions = regions;
        this.sources = sources;
        this.prices = prices;
    }

    @Override
    public List<Sibling> siblings(DatasetVersion version, RegionName region, ManifestRef manifest) {
        if (!prices.isStated()) {
            return List.of();
        }
        VersionStatus status = reader.statusOrNothing(version);
        if (status.regions().stream().noneMatch(other -> other.state() == Residency.State.CACHED)) {
            return List.of();
        }
        Missing missing = missing(version, region, manifest);
        return sources.siblings(region, status, missing.bytes(), missing.lakeRequests());
    }

    /**
     * Returns what the region lacks. Assumes that everything is missing, with one request for each
     * object, if the region does not answer.
     */
    private Missing missing(DatasetVersion version, RegionName region, ManifestRef manifest) {
        Missing all = new Missing(manifest.bytes(), manifest.objects(), manifest.objects(), false);
        try {
            Missing said = regions.survey(region, version, manifest).missing();
            return said == null ? all : said;
        } catch (ForebayException unanswered) {
            LOG.infof(
                    "Cannot read which bytes of %s are missing in %s, so all count as missing: %s",
                    version, region, unanswered);
            return all;
        }
    }
}
