package dev.forebay.workflows;

import dev.forebay.lifecycle.Event.Ingested;
import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.message.IngestInput;
import dev.forebay.workflows.message.VersionInput;
import io.temporal.workflow.Async;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import org.jspecify.annotations.Nullable;

/** Has the version frozen once, whoever asks; after a failure the next who asks tries again. */
final class Ingest {

    private final VersionState state;
    private final IngestInput input;
    private @Nullable Promise<ManifestRef> running;

    Ingest(VersionState state, VersionInput input) {
        this.state = state;
        this.input = new IngestInput(input.version(), input.bucket(), input.prefix());
    }

    boolean isIdle() {
        return running == null;
    }

    /** The manifest, or the failure of the child that was to make it. */
    Promise<ManifestRef> manifest() {
        ManifestRef known = state.status().manifest();
        if (known != null) {
            return Workflow.newPromise(known);
        }
        if (running == null) {
            running = Async.function(this::ingest);
        }
        return running;
    }

    private ManifestRef ingest() {
        try {
            ManifestRef manifest = Children.ingest(state.version()).run(input);
            state.apply(new Ingested(manifest));
            return manifest;
        } finally {
            running = null;
        }
    }
}
