package dev.forebay.control.api.versions;

import dev.forebay.control.api.CauseView;
import dev.forebay.control.api.WorkflowLinks;
import dev.forebay.model.Digest;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Receipt;
import java.time.Instant;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The receipt of one region for an ensure request. */
@Schema(
        name = "Receipt",
        description =
                "Proof of what a region holds: all requested bytes are present and verified. "
                        + "Only a receipt with cold has less")
record ReceiptView(
        String dataset,
        String version,
        @Schema(description = "Null in a cold receipt if the version is not listed yet")
                @Nullable String manifestDigest,
        @Nullable Long objects,
        @Nullable Long bytes,
        String region,
        @Schema(description = "The part of the bytes that is present, 0 to 1. 1 only if all are")
                double coverage,
        long bytesVerified,
        long bytesFromLake,
        @Schema(
                        description =
                                "Bytes by source, since the version was mounted in the region, "
                                        + "like bytes_from_lake")
                Map<String, Long> bytesFrom,
        @Schema(
                        description =
                                "Null in a cold receipt if the region has not mounted the version "
                                        + "yet")
                @Nullable String path,
        @Schema(description = "When the version was complete, or null if it is not")
                @Nullable Instant cachedAt,
        @Schema(
                        description =
                                "The pin, or null if none was requested or, in a cold receipt, "
                                        + "none could be taken in time")
                @Nullable PinView pin,
        @Schema(description = "The reason why fewer bytes are present than requested, or null")
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
