package dev.forebay.control.api;

import dev.forebay.control.api.Views.CauseView;
import dev.forebay.control.api.Views.EnsuredView;
import dev.forebay.control.api.Views.ManifestView;
import dev.forebay.control.api.Views.OriginView;
import dev.forebay.control.api.Views.PinView;
import dev.forebay.control.api.Views.ProgressView;
import dev.forebay.control.api.Views.ReceiptView;
import dev.forebay.control.api.Views.ResidencyView;
import dev.forebay.control.api.Views.VersionView;
import dev.forebay.control.catalogue.Origin;
import dev.forebay.control.engine.Ensured;
import dev.forebay.control.engine.RegionProgress;
import dev.forebay.control.engine.VersionProgress;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.service.ServiceConfig;
import dev.forebay.workflows.WorkflowIds;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes the answers that point to Temporal's web UI. */
@Singleton
class VersionViews {

    private final Optional<URI> ui;
    private final String temporalNamespace;

    VersionViews(ServiceConfig config) {
        this.ui = config.temporal().ui();
        this.temporalNamespace = config.temporal().namespace();
    }

    /** What the workflow said last, and nothing more recent. */
    VersionView of(VersionStatus status) {
        return of(
                new VersionProgress(
                        status,
                        status.regions().stream()
                                .map(residency -> RegionProgress.of(residency, status.manifest()))
                                .toList()),
                Optional.empty());
    }

    VersionView of(VersionProgress progress, Optional<Origin> origin) {
        VersionStatus status = progress.status();
        String workflowId = WorkflowIds.version(status.version());
        return new VersionView(
                status.version().dataset().toString(),
                status.version().version(),
                ManifestView.of(status.manifest()),
                origin.map(OriginView::of).orElse(null),
                status.ttl().toSeconds(),
                progress.regions().stream().map(ResidencyView::of).toList(),
                status.pins().stream().map(pin -> PinView.of(status.version(), pin)).toList(),
                workflowId,
                url(workflowId));
    }

    EnsuredView done(DatasetVersion version, Ensured.Done done) {
        List<ReceiptView> receipts =
                Stream.concat(Stream.of(done.receipt()), done.receipt().others().stream())
                        .map(this::receipt)
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

    EnsuredView pending(Ensured.Pending pending, VersionProgress of) {
        List<ProgressView> progress =
                pending.regions().stream().map(of::of).map(ProgressView::of).toList();
        return new EnsuredView(
                pending.requestId(),
                of.version().version(),
                false,
                null,
                null,
                progress.getFirst(),
                progress);
    }

    private ReceiptView receipt(Receipt receipt) {
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
                url(receipt.workflowId()));
    }

    /** Rounding never makes all of almost all. */
    private static double coverage(Receipt receipt) {
        if (receipt.bytesVerified() >= receipt.bytes()) {
            return receipt.manifestDigest() == null ? 0 : 1;
        }
        return Math.min(Math.nextDown(1.0), (double) receipt.bytesVerified() / receipt.bytes());
    }

    /** Where Temporal's web UI shows a workflow, if it is known. */
    @Nullable String url(String workflowId) {
        return ui.map(
                        base ->
                                "%s/namespaces/%s/workflows/%s"
                                        .formatted(
                                                base.toString().replaceAll("/+$", ""),
                                                temporalNamespace,
                                                URLEncoder.encode(
                                                        workflowId, StandardCharsets.UTF_8)))
                .orElse(null);
    }
}
