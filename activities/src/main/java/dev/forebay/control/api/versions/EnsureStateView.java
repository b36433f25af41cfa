package dev.forebay.control.api.versions;

import dev.forebay.control.api.WorkflowLinks;
import dev.forebay.control.progress.VersionProgress;
import dev.forebay.control.requests.EnsureState;
import dev.forebay.model.DatasetVersion;
import java.util.List;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The state of an ensure request: its receipts, or its progress. */
@Schema(
        name = "EnsureState",
        description =
                "The state of a request: receipts when it has ended, otherwise the progress. "
                        + "receipt and progress are those of the first region")
record EnsureStateView(
        String requestId,
        @Schema(description = "The name of the version that the request named") String version,
        boolean done,
        @Nullable ReceiptView receipt,
        @Schema(description = "The receipt of each region, in the order of the request")
                @Nullable List<ReceiptView> receipts,
        @Nullable ProgressView progress,
        @Schema(description = "The progress of each region, in the order of the request")
                @Nullable List<ProgressView> regions) {

    static EnsureStateView of(DatasetVersion version, EnsureState.Done done, WorkflowLinks links) {
        List<ReceiptView> receipts =
                Stream.concat(Stream.of(done.receipt()), done.receipt().others().stream())
                        .map(receipt -> ReceiptView.of(receipt, links))
                        .toList();
        return new EnsureStateView(
                done.requestId(),
                version.version(),
                true,
                receipts.getFirst(),
                receipts,
                null,
                null);
    }

    static EnsureStateView of(EnsureState.Pending pending, VersionProgress progress) {
        List<ProgressView> regions =
                pending.regions().stream().map(progress::of).map(ProgressView::of).toList();
        return new EnsureStateView(
                pending.requestId(),
                progress.version().version(),
                false,
                null,
                null,
                regions.getFirst(),
                regions);
    }
}
