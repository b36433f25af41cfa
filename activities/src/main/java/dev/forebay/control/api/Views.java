package dev.forebay.control.api;

import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.Origin;
import dev.forebay.control.catalogue.Tracking;
import dev.forebay.control.engine.DatasetTracking;
import dev.forebay.control.engine.RegionProgress;
import dev.forebay.control.engine.VersionProgress;
import dev.forebay.control.regions.Regions;
import dev.forebay.lifecycle.Pace;
import dev.forebay.manifest.Comparison;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.service.gateway.RegionReport;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** What answers carry. */
final class Views {

    private Views() {}

    @Schema(name = "Dataset")
    record DatasetView(
            String namespace,
            String name,
            String source,
            @Schema(description = "Patterns of the keys that belong to it; all if there is none")
                    List<String> include,
            @Schema(description = "Patterns of the keys that do not") List<String> exclude,
            @Schema(
                            description =
                                    "The object that lists its keys; null if all below the source are")
                    @Nullable String keys,
            long ttlSeconds,
            Instant createdAt) {

        static DatasetView of(Dataset dataset) {
            return new DatasetView(
                    dataset.name().namespace(),
                    dataset.name().name(),
                    dataset.source().toString(),
                    dataset.source().include(),
                    dataset.source().exclude(),
                    dataset.source().keys(),
                    dataset.ttl().toSeconds(),
                    dataset.createdAt());
        }
    }

    @Schema(name = "Manifest")
    record ManifestView(String digest, String uri, long objects, long bytes, long chunks) {

        static @Nullable ManifestView of(@Nullable ManifestRef manifest) {
            return manifest == null
                    ? null
                    : new ManifestView(
                            manifest.digest().hex(),
                            manifest.uri(),
                            manifest.objects(),
                            manifest.bytes(),
                            manifest.chunks());
        }
    }

    @Schema(name = "Origin", description = "What a version was made from")
    record OriginView(
            String source,
            List<String> include,
            List<String> exclude,
            @Nullable String keys,
            @Schema(description = "Of the list of keys, as it was read") @Nullable String keysEtag,
            @Schema(description = "Of the list of keys, in a bucket with versioning")
                    @Nullable String keysVersionId,
            @Schema(description = "The version that it was compared with; null if it was the first")
                    @Nullable String before,
            long objectsUnchanged,
            long objectsChanged,
            long objectsAdded,
            long objectsRemoved,
            @Schema(description = "Sizes of what was changed or added") long bytesNew,
            Instant frozenAt) {

        static OriginView of(Origin origin) {
            Origin.ListIdentity keys = origin.keys();
            DatasetVersion before = origin.before();
            Comparison comparison = origin.comparison();
            return new OriginView(
                    origin.source().toString(),
                    origin.source().include(),
                    origin.source().exclude(),
                    origin.source().keys(),
                    keys == null ? null : keys.etag(),
                    keys == null ? null : keys.versionId(),
                    before == null ? null : before.version(),
                    comparison.unchanged(),
                    comparison.changed(),
                    comparison.added(),
                    comparison.removed(),
                    comparison.newBytes(),
                    origin.frozenAt());
        }
    }

    @Schema(name = "Check", description = "The last look at a source for drift")
    record CheckView(
            Instant checkedAt,
            @Schema(description = "The version that it made; null if nothing has changed")
                    @Nullable String made,
            long objectsChanged,
            long objectsAdded,
            long objectsRemoved,
            @Schema(description = "Why it was given up, if it was") @Nullable CauseView problem) {

        static @Nullable CheckView of(Tracking.@Nullable LastCheck last) {
            if (last == null) {
                return null;
            }
            DatasetVersion made = last.found().made();
            return new CheckView(
                    last.at(),
                    made == null ? null : made.version(),
                    last.found().changed(),
                    last.found().added(),
                    last.found().removed(),
                    CauseView.of(last.problem()));
        }
    }

    @Schema(name = "Tracking", description = "How a dataset follows its source")
    record TrackingView(
            String dataset,
            long intervalSeconds,
            boolean paused,
            Instant createdAt,
            @Schema(description = "Null while it is paused") @Nullable Instant nextCheckAt,
            @Schema(description = "Null until the first is over") @Nullable CheckView lastCheck) {

        static TrackingView of(DatasetTracking.Followed followed) {
            Tracking tracking = followed.tracking();
            return new TrackingView(
                    tracking.dataset().toString(),
                    tracking.interval().toSeconds(),
                    followed.paused(),
                    tracking.createdAt(),
                    followed.nextCheck(),
                    CheckView.of(tracking.last()));
        }
    }

    @Schema(name = "Cause", description = "Why something does not go on")
    record CauseView(ErrorCode code, String message) {

        static @Nullable CauseView of(@Nullable Problem problem) {
            return problem == null ? null : new CauseView(problem.code(), problem.message());
        }
    }

    @Schema(name = "Residency", description = "What a region holds of a version")
    record ResidencyView(
            String region,
            Residency.State state,
            @Schema(description = "Rounded down; 100 only if the region is CACHED") int percent,
            long bytesCached,
            long objectsCached,
            long bytesFromLake,
            @Schema(
                            description =
                                    "On the average since the filling began; null if it has not, or is over")
                    @Nullable Long bytesPerSecond,
            @Schema(description = "At that pace") @Nullable Long etaSeconds,
            @Schema(
                            description =
                                    "Failed attempts of what is under way; only where one version is shown")
                    int failed,
            @Nullable String path,
            @Nullable Instant cachedAt,
            @Nullable Instant evictableAt,
            @Schema(description = "Why it was given up, and what to do")
                    @Nullable CauseView blocked,
            @Schema(
                            description =
                                    "What it waits for, or how the last attempt failed, while it is WARMING or EVICTING; only where one version is shown")
                    @Nullable CauseView waiting) {

        static ResidencyView of(RegionProgress progress) {
            Residency residency = progress.residency();
            return new ResidencyView(
                    residency.region().value(),
                    residency.state(),
                    progress.percent(),
                    progress.bytes(),
                    progress.objects(),
                    residency.bytesFromLake(),
                    progress.pace().map(Pace::bytesPerSecond).orElse(null),
                    progress.pace().map(pace -> pace.left().toSeconds()).orElse(null),
                    progress.work().failed(),
                    residency.path(),
                    residency.cachedAt(),
                    residency.evictableAt(),
                    CauseView.of(residency.blocked()),
                    CauseView.of(progress.work().waiting()));
        }
    }

    @Schema(name = "Pin")
    record PinView(
            String id,
            String region,
            String dataset,
            String version,
            String holder,
            String reason,
            Instant expiresAt) {

        static PinView of(DatasetVersion version, PinGrant pin) {
            return new PinView(
                    pin.id(),
                    pin.region().value(),
                    version.dataset().toString(),
                    version.version(),
                    pin.holder(),
                    pin.reason(),
                    pin.expiresAt());
        }
    }

    @Schema(name = "Version")
    record VersionView(
            String dataset,
            String version,
            @Nullable ManifestView manifest,
            @Schema(
                            description =
                                    "What it was made from; only where one version is shown, and null until it is frozen")
                    @Nullable OriginView origin,
            long ttlSeconds,
            List<ResidencyView> regions,
            List<PinView> pins,
            String workflowId,
            @Nullable String workflowUrl) {}

    @Schema(
            name = "Receipt",
            description =
                    "What is in a region: every byte, or as many as were asked for, each verified; less only with cold")
    record ReceiptView(
            String dataset,
            String version,
            @Schema(description = "Null in a cold one, if the version is not listed yet")
                    @Nullable String manifestDigest,
            @Nullable Long objects,
            @Nullable Long bytes,
            String region,
            @Schema(description = "The part of the bytes that is there, 0 to 1; 1 only if all are")
                    double coverage,
            long bytesVerified,
            long bytesFromLake,
            @Schema(
                            description =
                                    "By source; as bytes_from_lake, since the version was mounted there")
                    Map<String, Long> bytesFrom,
            @Schema(description = "Null in a cold one, if the region does not show it yet")
                    @Nullable String path,
            @Schema(description = "When it was complete; null if it is not")
                    @Nullable Instant cachedAt,
            @Schema(description = "Null in a cold one also if it could not be taken in time")
                    @Nullable PinView pin,
            @Schema(description = "Why less is there than was asked for; else null")
                    @Nullable CauseView cold,
            String workflowId,
            @Nullable String workflowUrl) {}

    @Schema(
            name = "Progress",
            description = "bytes and objects are null until the version is listed")
    record ProgressView(
            String region,
            Residency.State state,
            @Schema(description = "Rounded down; 100 only if the region is CACHED") int percent,
            long bytesCached,
            @Nullable Long bytes,
            long objectsCached,
            @Nullable Long objects,
            @Schema(
                            description =
                                    "On the average since the filling began; null if it has not, or is over")
                    @Nullable Long bytesPerSecond,
            @Schema(description = "At that pace") @Nullable Long etaSeconds,
            @Schema(description = "Failed attempts of what is under way") int failed,
            @Schema(description = "Why it was given up, and what to do")
                    @Nullable CauseView blocked,
            @Schema(description = "What it waits for, or how the last attempt failed")
                    @Nullable CauseView waiting) {

        static ProgressView of(RegionProgress progress) {
            ManifestRef manifest = progress.manifest();
            return new ProgressView(
                    progress.residency().region().value(),
                    progress.residency().state(),
                    progress.percent(),
                    progress.bytes(),
                    manifest == null ? null : manifest.bytes(),
                    progress.objects(),
                    manifest == null ? null : manifest.objects(),
                    progress.pace().map(Pace::bytesPerSecond).orElse(null),
                    progress.pace().map(pace -> pace.left().toSeconds()).orElse(null),
                    progress.work().failed(),
                    CauseView.of(progress.residency().blocked()),
                    CauseView.of(progress.work().waiting()));
        }
    }

    @Schema(name = "VersionProgress")
    record VersionProgressView(String dataset, String version, List<ProgressView> regions) {

        static VersionProgressView of(VersionProgress progress) {
            return new VersionProgressView(
                    progress.version().dataset().toString(),
                    progress.version().version(),
                    progress.regions().stream().map(ProgressView::of).toList());
        }
    }

    @Schema(
            name = "Ensured",
            description =
                    "With receipts when done, else with the progress; receipt and progress are those of the first region")
    record EnsuredView(
            String requestId,
            @Schema(description = "The name of the version that was meant") String version,
            boolean done,
            @Nullable ReceiptView receipt,
            @Schema(description = "Of each region, in the order of the request")
                    @Nullable List<ReceiptView> receipts,
            @Nullable ProgressView progress,
            @Schema(description = "The progress of each region, in the order of the request")
                    @Nullable List<ProgressView> regions) {}

    @Schema(name = "Region")
    record RegionView(
            String name,
            @Nullable String mountRoot,
            URI agent,
            @Schema(description = "Whether its agent answers") boolean reachable,
            @Schema(description = "Whether its etcd answers the agent; null if that is not known")
                    @Nullable Boolean etcdReachable,
            @Schema(description = "Why it takes nothing on at the moment")
                    @Nullable CauseView problem,
            List<RegionReport.WorkerReport> workers) {

        static RegionView of(Regions.Reported region) {
            return new RegionView(
                    region.name().value(),
                    region.report().map(RegionReport::mountRoot).orElse(null),
                    region.agent(),
                    region.report().isPresent(),
                    region.report().map(RegionReport::etcdReachable).orElse(null),
                    CauseView.of(region.problem().orElse(null)),
                    region.report().map(RegionReport::workers).orElse(List.of()));
        }
    }

    // Pages of lists; next is what to give as after for the following one.

    @Schema(name = "DatasetPage")
    record DatasetPage(List<DatasetView> items, @Nullable String next) {}

    @Schema(name = "VersionPage")
    record VersionPage(List<VersionView> items, @Nullable String next) {}

    @Schema(name = "PinPage")
    record PinPage(List<PinView> items, @Nullable String next) {}

    @Schema(name = "RegionPage")
    record RegionPage(List<RegionView> items, @Nullable String next) {}
}
