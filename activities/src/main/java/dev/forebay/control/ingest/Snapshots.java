package dev.forebay.control.ingest;

import dev.forebay.control.catalogue.LakeSource;
import dev.forebay.control.catalogue.Origin;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.catalogue.VersionCatalogue.Frozen;
import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.control.temporal.ControlPlaneMetrics;
import dev.forebay.control.temporal.TemporalCalls;
import dev.forebay.control.temporal.TemporalCalls.NoSuchRunException;
import dev.forebay.control.temporal.VersionWorkflows;
import dev.forebay.lake.Lake;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.walk.KeyList;
import dev.forebay.lake.walk.PrefixWalk;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.cache.CachedManifest;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.manifest.write.ManifestWriter;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.service.Workspace;
import dev.forebay.service.temporal.Heartbeat;
import io.temporal.activity.ActivityExecutionContext;
import io.temporal.activity.ActivityInfo;
import io.temporal.client.ActivityCanceledException;
import io.temporal.client.ActivityCompletionException;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Lists sources into manifests, a few at once. Thread-safe.
 *
 * <p>Keeps the listing of a prefix in the work directory until the manifest is written. A later
 * attempt on the same machine then continues where an earlier one ended. A cursor alone would not
 * help, and moving the listing to another machine takes longer than listing again.
 */
@Singleton
public class Snapshots {

    private final VersionCatalogue versions;
    private final Lake lake;
    private final ListedKeys listedKeys;
    private final LakeCommands commands;
    private final ManifestCache manifests;
    private final Workspace workspace;
    private final VersionWorkflows workflows;
    private final TemporalCalls temporal;
    private final ControlPlaneMetrics metrics;
    private final ControlPlaneConfig.Ingest config;
    private final Optional<String> manifestBucket;
    private final Semaphore places;

    Snapshots(
            VersionCatalogue versions,
            Lake lake,
            ListedKeys listedKeys,
            LakeCommands commands,
            ManifestCache manifests,
            Workspace workspace,
            VersionWorkflows workflows,
            TemporalCalls temporal,
            ControlPlaneMetrics metrics,
            ControlPlaneConfig config) {
        this.versions = versions;
        this.lake = lake;
        this.listedKeys = listedKeys;
        this.commands = commands;
        this.manifests = manifests;
        this.workspace = workspace;
        this.workflows = workflows;
        this.temporal = temporal;
        this.metrics = metrics;
        this.config = config.ingest();
        this.manifestBucket = config.manifestBucket();
        this.places = new Semaphore(config.ingest().concurrency());
    }

    /** A manifest in a local file, and its origin. */
    public record Snapshot(ManifestFile file, Origin origin) {}

    /**
     * Lists a source, once fewer than the maximum of listings run. The heartbeats of the activity
     * report the number of objects so far. Deletes the kept listing if no attempt follows this one.
     *
     * @param version the version to create; the listing is compared with the version before it
     * @param then receives the manifest, whose file is deleted afterwards
     */
    public <T> T during(
            ActivityExecutionContext activity,
            DatasetVersion version,
            LakeSource source,
            Function<Snapshot, T> then) {
        String work = work(activity);
        AtomicLong listed = new AtomicLong();
        try {
            return Heartbeat.during(
                    activity, listed::get, () -> of(version, source, work, listed::set, then));
        } catch (ActivityCompletionException unwanted) {
            if (unwanted instanceof ActivityCanceledException || isOver(activity.getInfo())) {
                workspace.forget(work);
            }
            throw unwanted;
        } catch (ForebayException failed) {
            metrics.ingestFailed(failed.code());
            if (!failed.code().retryable()) {
                workspace.forget(work);
            }
            throw failed;
        }
    }

    /**
     * Returns whether the workflow run of the activity is over. A cancelled workflow does not wait
     * for its activity, whose heartbeat may then only fail as unknown. The heartbeat of an attempt
     * that another one has replaced fails in the same way.
     */
    private boolean isOver(ActivityInfo activity) {
        try {
            return temporal.call(
                    () -> workflows.isOver(activity.getWorkflowId(), activity.getWorkflowRunId()));
        } catch (NoSuchRunException gone) {
            return true;
        } catch (ForebayException unanswered) {
            return false;
        }
    }

    private <T> T of(
            DatasetVersion version,
            LakeSource source,
            String work,
            LongConsumer listed,
            Function<Snapshot, T> then) {
        try {
            places.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "the freeze of %s was interrupted before it ended: retry it".formatted(version),
                    e);
        }
        try (Workspace.Temporary folder = workspace.temporary("ingest-")) {
            return then.apply(snapshot(version, source, work, listed, folder.path()));
        } finally {
            places.release();
        }
    }

    /** Names the kept listing of an activity, the same in all its attempts. */
    private static String work(ActivityExecutionContext activity) {
        return activity.getInfo().getWorkflowRunId() + "-" + activity.getInfo().getActivityId();
    }

    /** Uploads a manifest to the manifest bucket. */
    public ManifestRef store(ManifestFile manifest) {
        String own = manifestBucket.orElseThrow();
        lake.putIfAbsent(own, manifest.key(), manifest.path());
        return manifest.ref(own);
    }

    private Snapshot snapshot(
            DatasetVersion version,
            LakeSource source,
            String work,
            LongConsumer listed,
            Path folder) {
        Optional<Frozen> before = versions.frozenBefore(version);
        if (before.isEmpty()) {
            return write(version, source, null, null, work, listed, folder);
        }
        // Unchanged objects keep their place in the packs of the version before.
        try (CachedManifest previous = manifests.open(before.get().manifest())) {
            return write(version, source, before.get().version(), previous, work, listed, folder);
        }
    }

    private Snapshot write(
            DatasetVersion version,
            LakeSource source,
            @Nullable DatasetVersion before,
            @Nullable Manifest previous,
            String work,
            LongConsumer listed,
            Path folder) {
        try (ManifestWriter writer =
                new ManifestWriter(
                        folder.resolve("manifest.sqlite"),
                        source.bucket(),
                        source.prefix(),
                        ManifestWriter.DEFAULT_PACK_BYTES,
                        previous)) {
            ArchivedObjects archived = new ArchivedObjects(config.archiveClasses());
            Consumer<LakeObject> each =
                    object -> {
                        archived.add(object);
                        writer.add(object);
                    };
            Origin.@Nullable ListIdentity keys = null;
            ManifestFile file;
            try {
                if (source.keysAddress() == null) {
                    walk(source, work, each, listed, folder);
                } else {
                    keys = walkKeys(source, each, listed, folder);
                }
                archived.requireNone(source);
                file = finish(writer, source);
            } catch (ForebayException failed) {
                throw withRemedy(failed, version, source, writer.excludes());
            }
            return new Snapshot(
                    file, new Origin(source, keys, before, writer.comparison(), Instant.now()));
        }
    }

    private ManifestFile finish(ManifestWriter writer, LakeSource source) {
        try {
            return writer.finish();
        } catch (ForebayException failed) {
            throw failed.code() == ErrorCode.LAKE_EMPTY
                    ? failed.withMessage(
                            "%s: compare with '%s'"
                                    .formatted(failed.getMessage(), commands.list(source)))
                    : failed;
        }
    }

    /**
     * Adds the command that registers another dataset without the invalid keys, because a dataset
     * cannot change its source.
     */
    private static ForebayException withRemedy(
            ForebayException failed,
            DatasetVersion version,
            LakeSource source,
            List<String> excludes) {
        if (failed.code() != ErrorCode.INVALID_KEY || excludes.isEmpty()) {
            return failed;
        }
        String remedy =
                source.without(excludes)
                        .map(rest -> "'" + rest.registration(version.dataset().another()) + "'")
                        .orElse("another dataset, with wider exclude patterns");
        return failed.withMessage(
                "%s. Rename them in the lake, or exclude them by %s"
                        .formatted(failed.getMessage(), remedy));
    }

    private void walk(
            LakeSource source,
            String work,
            Consumer<LakeObject> each,
            LongConsumer listed,
            Path folder) {
        Optional<Workspace.Kept> kept = workspace.kept(work);
        if (kept.isEmpty()) {
            // Another attempt that timed out is still using the kept listing.
            walk(source, folder(folder, "listing"), each, listed);
            return;
        }
        try (Workspace.Kept place = kept.get()) {
            walk(source, place.path(), each, listed);
            place.forget();
        }
    }

    private void walk(
            LakeSource source, Path folder, Consumer<LakeObject> each, LongConsumer listed) {
        PrefixWalk walk =
                new PrefixWalk(
                        lake.listing(source.bucket(), source.chosenPrefix()),
                        source.chosenPrefix(),
                        source.chosen(),
                        folder,
                        source.describe());
        walk.list(config.requests(), listed);
        walk.forEach(each);
    }

    private Origin.ListIdentity walkKeys(
            LakeSource source, Consumer<LakeObject> each, LongConsumer listed, Path folder) {
        KeyList keys = listedKeys.forEach(source, folder(folder, "keys"), each, listed);
        return new Origin.ListIdentity(keys.object().etag(), keys.object().versionId());
    }

    private static Path folder(Path parent, String name) {
        try {
            return Files.createDirectory(parent.resolve(name));
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.CAPACITY_EXCEEDED,
                    "forebay.work-directory: cannot write to %s: %s".formatted(parent, e),
                    e);
        }
    }
}
