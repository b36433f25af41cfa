package dev.forebay.control.api;

import dev.forebay.service.ServiceConfig;
import jakarta.inject.Singleton;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Creates links to workflows in Temporal's web UI. */
@Singleton
public class WorkflowLinks {

    private final Optional<URI> ui;
    private final String temporalNamespace;

    WorkflowLinks(ServiceConfig config) {
        this.ui = config.temporal().ui();
        this.temporalNamespace = config.temporal().namespace();
    }

    /** Returns the link to a workflow; null if no web UI is configured. */
    public @Nullable String to(String workflowId) {
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
