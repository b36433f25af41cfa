package dev.forebay.control.api.versions;

import dev.forebay.control.api.CauseView;
import dev.forebay.control.api.WorkflowLinks;
import dev.forebay.control.api.versions.PinViews.PinView;
import dev.forebay.control.api.versions.ProgressViews.ProgressView;
import dev.forebay.control.progress.VersionProgress;
import dev.forebay.control.requests.EnsureState;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Receipt;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The response bodies of {@link EnsureResource}. */
final class EnsureViews {

    private EnsureViews() {}

    @Schema(
            name = "EnsureState",
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
                    @Nullable List<ProgressView> regions) {

        static EnsuredView of(DatasetVersion version, EnsureState.Done done, WorkflowLinks links) {
            List<ReceiptView> receipts =
                    Stream.concat(Stream.of(done.receipt()), done.receipt().others().stream())
                            .map(receipt -> ReceiptView.of(receipt, links))
                            .toList();
            return new EnsuredView(
                    done.requestId(),
                    version.version(),
                    true,
                    receipts.getFirst(),
                    receipts,
                    null,
                    null);
        }

        static EnsuredView of(EnsureState.Pending pending, VersionProgress progress) {
            List<ProgressView> regions =
                    pending.regions().stream().map(progress::of).map(ProgressView::of).toList();
            return new EnsuredView(
                    pending.requestId(),
                    progress.version().version(),
                    false,
                    null,
                    null,
                    regions.getFirst(),
                    regions);
        }
    }

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
            @Nullable String workflowUrl) {

        static ReceiptView of(Receipt receipt, WorkflowLinks links) {
            PinGrant pin = receipt.pin();
            Digest manifest = receipt.manifestDigest();
            return new ReceiptView(
                    receipt.version().dataset().toString(),
                    receipt.version().version(),
                    manifest == null ? null : manifest.hex(),
                    manifest == null ? null : receipt.objects(),
                    manifest == null ? null : receipt.bytes(),
                    receipt.region().value(),
                    coverage(receipt),
                    receipt.bytesVerified(),
                    receipt.bytesFromLake(),
                    Map.of("lake", receipt.bytesFromLake(), "sibling", receipt.bytesFromSiblings()),
                    receipt.path(),
                    receipt.cachedAt(),
                    pin == null ? null : PinView.of(receipt.version(), pin),
                    CauseView.of(receipt.cold()),
                    receipt.workflowId(),
                    links.to(receipt.workflowId()));
        }

        /** Returns 1 only for a complete version: rounding must not turn almost all into all. */
        private static double coverage(Receipt receipt) {
            if (receipt.bytesVerified() >= receipt.bytes()) {
                return receipt.manifestDigest() == null ? 0 : 1;
            }
            return Math.min(Math.nextDown(1.0), (double) receipt.bytesVerified() / receipt.bytes());
        }
    }
}
