package dev.forebay.control.api;

import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.QuotaCatalogue;
import dev.forebay.control.engine.RegionProgress;
import dev.forebay.control.engine.VersionProgress;
import dev.forebay.control.regions.Regions;
import dev.forebay.lifecycle.Pace;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
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
            String namespace, String name, String source, long ttlSeconds, Instant createdAt) {

        static DatasetView of(Dataset dataset) {
            return new DatasetView(
                    dataset.name().namespace(),
                    dataset.name().name(),
                    dataset.source().toString(),
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

    @Schema(name = "QuotaView", description = "How much room a namespace may have in a region")
    record QuotaView(
            @Schema(description = "Null: in every region that has none of its own")
                    @Nullable String region,
            long bytes) {

        static QuotaView of(QuotaCatalogue.Quota quota) {
            RegionName region = quota.region();
            return new QuotaView(region == null ? null : region.value(), quota.bytes());
        }
    }

    @Schema(name = "Queued", description = "A version that waits for room")
    record QueuedView(
            @Schema(description = "From 1; null if a quota keeps it out, whoever else waits")
                    @Nullable Integer position,
            String dataset,
            String version,
            @Schema(description = "How much more room it needs") long bytes,
            @Schema(enumeration = {"interactive", "speculative"}) String priority,
            Instant since,
            String reason,
            @Schema(
                            description =
                                    "When pins end that hold what would have to go, if nobody renews them; null if that is not what it waits for, or is not known")
                    @Nullable Instant notBefore) {}

    // Pages of lists; next is what to give as after for the following one.

    @Schema(name = "DatasetPage")
    record DatasetPage(List<DatasetView> items, @Nullable String next) {}

    @Schema(name = "VersionPage")
    record VersionPage(List<VersionView> items, @Nullable String next) {}

    @Schema(name = "PinPage")
    record PinPage(List<PinView> items, @Nullable String next) {}

    @Schema(name = "QuotaPage")
    record QuotaPage(List<QuotaView> items, @Nullable String next) {}

    @Schema(name = "QueuePage")
    record QueuePage(List<QueuedView> items, @Nullable String next) {}

    @Schema(name = "RegionPage")
    record RegionPage(List<RegionView> items, @Nullable String next) {}
}
