package dev.forebay.control.explain;

import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.NewVersions;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.catalogue.VersionLookup;
import dev.forebay.control.catalogue.reports.HistoryCatalogue;
import dev.forebay.control.catalogue.tracking.Tracking;
import dev.forebay.control.catalogue.tracking.TrackingCatalogue;
import dev.forebay.control.progress.ProgressReader;
import dev.forebay.control.progress.VersionProgress;
import dev.forebay.control.requests.VersionReader;
import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.util.List;

/**
 * Explains the state of a version in a region, from the answer of its workflow and from the
 * catalogue. Thread-safe.
 */
@Singleton
public class Explanations {

    private static final int LONGEST_HISTORY = 50;
    private static final int MOST_OTHERS = 20;

    private final DatasetCatalogue datasets;
    private final VersionCatalogue versions;
    private final NewVersions newVersions;
    private final VersionLookup lookup;
    private final VersionReader reader;
    private final ProgressReader progress;
    private final HistoryCatalogue history;
    private final TrackingCatalogue tracking;

    Explanations(
            DatasetCatalogue datasets,
            VersionCatalogue versions,
            NewVersions newVersions,
            VersionLookup lookup,
            VersionReader reader,
            ProgressReader progress,
            HistoryCatalogue history,
            TrackingCatalogue tracking) {
        this.datasets = datasets;
        this.versions = versions;
        this.newVersions = newVersions;
        this.lookup = lookup;
        this.reader = reader;
        this.progress = progress;
        this.history = history;
        this.tracking = tracking;
    }

    /**
     * Explains why a version is, or is not, in a region.
     *
     * @param asked a reference as {@link VersionLookup#find(DatasetName, String)} accepts it
     * @throws ForebayException {@code NOT_FOUND} if there is no such dataset, or the version is
     *     unknown and the dataset has a frozen one
     */
    public Explanation of(DatasetName dataset, String asked, RegionName region) {
        datasets.get(dataset);
        DatasetVersion version = lookup.find(dataset, asked);
        if (!newVersions.isKnown(version) && lookup.latest(dataset).isPresent()) {
            throw newVersions.unknown(version);
        }
        VersionStatus status = reader.statusOrNothing(version);
        VersionProgress now = progress.of(status);
        return new Explanation(
                version,
                region,
                now.of(region),
                status.pins().stream().filter(pin -> pin.region().equals(region)).toList(),
                history.latest(version, region, LONGEST_HISTORY),
                lookup.latest(dataset).orElse(version),
                others(version, region),
                tracking.find(dataset).map(Tracking::last).orElse(null));
    }

    private List<DatasetVersion> others(DatasetVersion version, RegionName region) {
        return versions.cached(version.dataset(), region, MOST_OTHERS + 1).stream()
                .filter(other -> !other.equals(version))
                .limit(MOST_OTHERS)
                .toList();
    }
}
