package dev.forebay.control.tracking;

import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.Origin;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.catalogue.tracking.TrackingCatalogue;
import dev.forebay.control.ingest.Snapshots;
import dev.forebay.control.ingest.Snapshots.Snapshot;
import dev.forebay.control.ingest.VersionPointers;
import dev.forebay.control.ingest.VersionPointers.Pointer;
import dev.forebay.control.temporal.ControlPlaneMetrics;
import dev.forebay.manifest.Comparison;
import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.workflows.activity.TrackingActivities;
import dev.forebay.workflows.message.Problem;
import io.temporal.activity.Activity;
import jakarta.inject.Singleton;
import java.util.Optional;

/**
 * Compares a dataset's source with its newest version, and freezes a new version if they differ.
 */
@Singleton
public class TrackingActivitiesImpl implements TrackingActivities {

    private static final Check NOTHING = new Check(null, 0, 0, 0);

    private final DatasetCatalogue datasets;
    private final VersionCatalogue versions;
    private final TrackingCatalogue tracking;
    private final DatasetTracking followed;
    private final Snapshots snapshots;
    private final VersionPointers pointers;
    private final ControlPlaneMetrics metrics;

    TrackingActivitiesImpl(
            DatasetCatalogue datasets,
            VersionCatalogue versions,
            TrackingCatalogue tracking,
            DatasetTracking followed,
            Snapshots snapshots,
            VersionPointers pointers,
            ControlPlaneMetrics metrics) {
        this.datasets = datasets;
        this.versions = versions;
        this.tracking = tracking;
        this.followed = followed;
        this.snapshots = snapshots;
        this.pointers = pointers;
        this.metrics = metrics;
    }

    @Override
    public Check check(DatasetName name, String version) {
        Dataset dataset = datasets.get(name);
        DatasetVersion next = new DatasetVersion(name, version);
        Optional<Origin> made = versions.origin(next);
        boolean followedNoMore = made.isEmpty() && tracking.find(name).isEmpty();
        if (followedNoMore || dataset.deletedAt() != null) {
            // Either another control plane created the Schedule again while this one stopped
            // following, or the dataset was deleted during an outage of Temporal.
            followed.stop(name);
            return NOTHING;
        }
        Check check =
                made.isPresent()
                        ? made(next, made.get().comparison())
                        : freezeIfChanged(dataset, next);
        tracking.checked(name, check, null);
        metrics.checked(check.made() == null ? "same" : "changed");
        return check;
    }

    private Check freezeIfChanged(Dataset dataset, DatasetVersion next) {
        return snapshots.during(
                Activity.getExecutionContext(),
                next,
                dataset.source(),
                snapshot -> keepIfNew(dataset, next, snapshot));
    }

    private Check keepIfNew(Dataset dataset, DatasetVersion next, Snapshot snapshot) {
        Origin origin = snapshot.origin();
        if (origin.before() != null && origin.comparison().isSame()) {
            return NOTHING;
        }
        Pointer pointer =
                pointers.claim(Pointer.of(dataset, next, snapshots.store(snapshot.file()), origin));
        versions.addFrozen(next, dataset.ttl(), pointer.manifest(), pointer.origin());
        metrics.ingested(snapshot.file().objects(), snapshot.file().bytes());
        return made(next, origin.comparison());
    }

    private static Check made(DatasetVersion version, Comparison comparison) {
        return new Check(version, comparison.changed(), comparison.added(), comparison.removed());
    }

    @Override
    public void failed(DatasetName dataset, Problem problem) {
        tracking.checked(dataset, NOTHING, problem);
        metrics.checked("failed");
    }
}
