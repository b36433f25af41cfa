package dev.forebay.control.api;

import dev.forebay.control.api.Views.CauseView;
import dev.forebay.control.api.Views.EnsuredView;
import dev.forebay.control.api.Views.ManifestView;
import dev.forebay.control.api.Views.PinView;
import dev.forebay.control.api.Views.ProgressView;
import dev.forebay.control.api.Views.ReceiptView;
import dev.forebay.control.api.Views.ResidencyView;
import dev.forebay.control.api.Views.VersionView;
import dev.forebay.control.engine.Ensured;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.service.ServiceConfig;
import dev.forebay.workflows.WorkflowIds;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
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

    /** Without what regions wait for. */
    VersionView of(VersionStatus status) {
        return of(status, Map.of());
    }

    /**
     * @param waiting what regions wait for, by name
     */
    VersionView of(VersionStatus status, Map<String, Problem> waiting) {
        String workflowId = WorkflowIds.version(status.version());
        return new VersionView(
                status.version().dataset().toString(),
                status.version().version(),
                ManifestView.of(status.manifest()),
                status.ttl().toSeconds(),
                status.regions().stream()
                        .map(
                                residency ->
                                        ResidencyView.of(
                                                residency, waiting.get(residency.region().value())))
                        .toList(),
                status.pins().stream().map(pin -> PinView.of(status.version(), pin)).toList(),
                workflowId,
                url(workflowId));
    }

    EnsuredView done(DatasetVersion version, Ensured.Done done) {
        return new EnsuredView(
                done.requestId(), version.version(), true, receipt(done.receipt()), null);
    }

    EnsuredView pending(Ensured.Pending pending, VersionStatus status, Optional<Problem> waiting) {
        ManifestRef manifest = status.manifest();
        Long bytes = manifest == null ? null : manifest.bytes();
        CauseView cause = CauseView.of(waiting.orElse(null));
        ProgressView progress =
                status.regions().stream()
                        .filter(residency -> residency.region().equals(pending.region()))
                        .findFirst()
                        .map(
                                residency ->
                                        new ProgressView(
                                                residency.region().value(),
                                                residency.state(),
                                                residency.bytesCached(),
                                                bytes,
                                                cause))
                        .orElseGet(
                                () ->
                                        new ProgressView(
                                                pending.region().value(),
                                                Residency.State.ABSENT,
                                                0,
                                                bytes,
                                                cause));
        return new EnsuredView(
                pending.requestId(), status.version().version(), false, null, progress);
    }

    private ReceiptView receipt(Receipt receipt) {
        PinGrant pin = receipt.pin();
        return new ReceiptView(
                receipt.version().dataset().toString(),
                receipt.version().version(),
                receipt.manifestDigest().hex(),
                receipt.objects(),
                receipt.bytes(),
                receipt.region().value(),
                receipt.bytesVerified(),
                receipt.bytesFromLake(),
                receipt.path(),
                receipt.cachedAt(),
                pin == null ? null : PinView.of(receipt.version(), pin),
                receipt.workflowId(),
                url(receipt.workflowId()));
    }

    private @Nullable String url(String workflowId) {
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
