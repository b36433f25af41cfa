package dev.forebay.control.api.versions;

import dev.forebay.control.api.CauseView;
import dev.forebay.control.api.WorkflowLinks;
import dev.forebay.control.catalogue.Origin;
import dev.forebay.control.progress.RegionProgress;
import dev.forebay.control.progress.VersionProgress;
import dev.forebay.lifecycle.FillEstimate;
import dev.forebay.manifest.Comparison;
import dev.forebay.model.DatasetVersion;
import dev.forebay.workflows.WorkflowIds;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.VersionStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A version with its regions and pins. */
@Schema(name = "Version")
public record VersionView(
        String dataset,
        String version,
        @Nullable ManifestView manifest,
        @Schema(
                        description =
                                "The source of the version. Only if one version is shown, and "
                                        + "null until it is frozen")
                @Nullable OriginView origin,
        @Schema(
                        description =
                                "The problem that delays its freeze. Only if one version is "
                                        + "shown, and it is in no region")
                @Nullable CauseView freezing,
        long ttlSeconds,
        List<ResidencyView> regions,
        List<PinView> pins,
        String workflowId,
        @Nullable String workflowUrl) {

    /** Returns a view of the status that the workflow last reported, without current progress. */
    public static VersionView of(VersionStatus status, WorkflowLinks links) {
        return of(
                new VersionProgress(
                        status,
                        status.regions().stream()
                                .map(residency -> RegionProgress.of(residency, status.manifest()))
                                .toList(),
                        false),
                Optional.empty(),
                Optional.empty(),
                links);
    }

    public static VersionView of(
            VersionProgress progress,
            Optional<Origin> origin,
            Optional<Problem> freezing,
            WorkflowLinks links) {
        VersionStatus status = progress.status();
        String workflowId = WorkflowIds.version(status.version());
        return new VersionView(
                status.version().dataset().toString(),
                status.version().version(),
                ManifestView.of(status.manifest()),
                origin.map(OriginView::of).orElse(null),
                CauseView.of(freezing.orElse(null)),
                status.ttl().toSeconds(),
                progress.regions().stream().map(ResidencyView::of).toList(),
                status.pins().stream().map(pin -> PinView.of(status.version(), pin)).toList(),
                workflowId,
                links.to(workflowId));
    }

    @Schema(name = "Origin", description = "The source from which a version was created")
    record OriginView(
            String source,
            List<String> include,
            List<String> exclude,
            @Nullable String keys,
            @Schema(description = "The ETag of the list of keys that was read")
                    @Nullable String keysEtag,
            @Schema(description = "The version id of the list of keys, in a bucket with versioning")
                    @Nullable String keysVersionId,
            @Schema(
                            description =
                                    "The version with which it was compared, or null for the first "
                                            + "one")
                    @Nullable String before,
            long objectsUnchanged,
            long objectsChanged,
            long objectsAdded,
            long objectsRemoved,
            @Schema(description = "Bytes of changed and added objects") long bytesNew,
            Instant frozenAt) {

        public static OriginView of(Origin origin) {
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

    @Schema(name = "Residency", description = "The copy of a version in a region")
    record ResidencyView(
            String region,
            Residency.State state,
            @Schema(description = "Rounded down. 100 only if the version is CACHED in the region")
                    int percent,
            long bytesCached,
            long objectsCached,
            long bytesFromLake,
            @Schema(description = "Average since the start of the fill, or null if no fill runs")
                    @Nullable Long bytesPerSecond,
            @Schema(description = "Remaining seconds at this rate, or null if unknown")
                    @Nullable Long etaSeconds,
            @Schema(
                            description =
                                    "Failed attempts of the current operation. Only if one "
                                            + "version is shown")
                    int failed,
            @Nullable String path,
            @Nullable Instant cachedAt,
            @Nullable Instant evictableAt,
            @Schema(description = "The problem that stopped it, and the remedy")
                    @Nullable CauseView blocked,
            @Schema(
                            description =
                                    "While WARMING or EVICTING: what it waits for, or how the "
                                            + "last attempt failed. Only if one version is shown")
                    @Nullable CauseView waiting) {

        public static ResidencyView of(RegionProgress progress) {
            Residency residency = progress.residency();
            return new ResidencyView(
                    residency.region().value(),
                    residency.state(),
                    progress.percent(),
                    progress.bytes(),
                    progress.objects(),
                    residency.bytesFromLake(),
                    progress.pace().map(FillEstimate::bytesPerSecond).orElse(null),
                    progress.pace().map(pace -> pace.left().toSeconds()).orElse(null),
                    progress.work().failed(),
                    residency.path(),
                    residency.cachedAt(),
                    residency.evictableAt(),
                    CauseView.of(residency.blocked()),
                    CauseView.of(progress.work().waiting()));
        }
    }
}
