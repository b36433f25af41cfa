package dev.forebay.control.ingest;

import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.LakeSource;
import dev.forebay.control.catalogue.NewVersions;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.ingest.Snapshots.Snapshot;
import dev.forebay.control.ingest.VersionPointers.Pointer;
import dev.forebay.control.temporal.ControlPlaneMetrics;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.activity.IngestActivities;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.activity.Activity;
import jakarta.inject.Singleton;
import java.util.Optional;

/**
 * Freezes a version: lists the lake into a manifest, stores the manifest, and enters it in a
 * pointer and in the catalogue. The first manifest of a version stays.
 */
@Singleton
public class IngestActivitiesImpl implements IngestActivities {

    private final DatasetCatalogue datasets;
    private final VersionCatalogue versions;
    private final NewVersions newVersions;
    private final Snapshots snapshots;
    private final VersionPointers pointers;
    private final ControlPlaneMetrics metrics;

    IngestActivitiesImpl(
            DatasetCatalogue datasets,
            VersionCatalogue versions,
            NewVersions newVersions,
            Snapshots snapshots,
            VersionPointers pointers,
            ControlPlaneMetrics metrics) {
        this.datasets = datasets;
        this.versions = versions;
        this.newVersions = newVersions;
        this.snapshots = snapshots;
        this.pointers = pointers;
        this.metrics = metrics;
    }

    @Override
    public ManifestRef ingest(DatasetVersion version) {
        Optional<ManifestRef> frozen = versions.find(version).map(VersionStatus::manifest);
        if (frozen.isPresent()) {
            return frozen.get();
        }
        LakeSource source = datasets.get(version.dataset()).source();
        Optional<Pointer> known = pointers.find(version, source);
        return known.isPresent()
                ? freeze(known.get())
                : snapshots.during(
                        Activity.getExecutionContext(),
                        version,
                        source,
                        snapshot -> freeze(version, snapshot));
    }

    private ManifestRef freeze(DatasetVersion version, Snapshot snapshot) {
        ManifestRef stored = snapshots.store(snapshot.file());
        metrics.ingested(snapshot.file().objects(), snapshot.file().bytes());
        Dataset dataset = datasets.get(version.dataset());
        requireWanted(version);
        return freeze(pointers.claim(Pointer.of(dataset, version, stored, snapshot.origin())));
    }

    /**
     * Fails if a client has cancelled the request: another version may have become the dataset's
     * first since. A listing notices a cancellation only at its next heartbeat.
     */
    private void requireWanted(DatasetVersion version) {
        if (!newVersions.isKnown(version)) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "the request for version %s was cancelled before its listing ended: send a new one with 'forebay ensure %s --create'"
                            .formatted(version, version));
        }
    }

    private ManifestRef freeze(Pointer pointer) {
        return versions.freeze(pointer.version(), pointer.manifest(), pointer.origin());
    }
}
