package dev.forebay.control.engine;

import dev.forebay.control.ControlPlaneConfig;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.lake.Lake;
import dev.forebay.manifest.CachedManifest;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.ManifestCache;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.ManifestWriter;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.service.Workspace;
import dev.forebay.service.temporal.Heartbeat;
import dev.forebay.workflows.activity.IngestActivities;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.activity.Activity;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Freezes a version: lists the lake into a manifest, stores it, and writes it down in the
 * catalogue, where the first manifest of a version stays.
 */
@Singleton
class IngestActivitiesImpl implements IngestActivities {

    private final VersionCatalogue versions;
    private final Lake lake;
    private final ManifestCache manifests;
    private final Workspace workspace;
    private final EngineMetrics metrics;
    private final Optional<String> manifestBucket;
    private final Semaphore places;

    IngestActivitiesImpl(
            VersionCatalogue versions,
            Lake lake,
            ManifestCache manifests,
            Workspace workspace,
            EngineMetrics metrics,
            ControlPlaneConfig config) {
        this.versions = versions;
        this.lake = lake;
        this.manifests = manifests;
        this.workspace = workspace;
        this.metrics = metrics;
        this.manifestBucket = config.manifestBucket();
        this.places = new Semaphore(config.ingest().concurrency());
    }

    @Override
    public ManifestRef ingest(DatasetVersion version, String bucket, String prefix) {
        Optional<ManifestRef> frozen = versions.find(version).map(VersionStatus::manifest);
        if (frozen.isPresent()) {
            return frozen.get();
        }
        AtomicLong listed = new AtomicLong();
        return Heartbeat.during(
                Activity.getExecutionContext(),
                listed::get,
                () -> freezeInTurn(version, bucket, prefix, listed));
    }

    private ManifestRef freezeInTurn(
            DatasetVersion version, String bucket, String prefix, AtomicLong listed) {
        try {
            places.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE, "the freezing of %s was stopped".formatted(version), e);
        }
        try {
            return freeze(version, bucket, prefix, listed);
        } finally {
            places.release();
        }
    }

    private ManifestRef freeze(
            DatasetVersion version, String bucket, String prefix, AtomicLong listed) {
        Optional<ManifestRef> before = versions.manifestBefore(version);
        try (Workspace.Temporary folder = workspace.temporary("ingest-")) {
            Path target = folder.path().resolve("manifest.sqlite");
            ManifestFile manifest;
            if (before.isPresent()) {
                // Objects that did not change keep their place in the packs of the version before.
                try (CachedManifest previous = manifests.open(before.get())) {
                    manifest = write(target, bucket, prefix, previous, listed);
                }
            } else {
                manifest = write(target, bucket, prefix, null, listed);
            }
            String own = manifestBucket.orElseThrow();
            lake.putIfAbsent(own, manifest.key(), manifest.path());
            metrics.ingested(manifest.objects(), manifest.bytes());
            return versions.freeze(version, manifest.ref(own));
        }
    }

    private ManifestFile write(
            Path target,
            String bucket,
            String prefix,
            @Nullable Manifest previous,
            AtomicLong listed) {
        try (ManifestWriter writer =
                new ManifestWriter(
                        target, bucket, prefix, ManifestWriter.DEFAULT_PACK_BYTES, previous)) {
            lake.list(bucket, prefix, writer::add, listed::set);
            return writer.finish();
        }
    }
}
