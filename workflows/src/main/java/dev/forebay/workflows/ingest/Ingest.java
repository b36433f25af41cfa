package dev.forebay.workflows.ingest;

import dev.forebay.lifecycle.VersionEvent.Ingested;
import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.WorkflowIds;
import dev.forebay.workflows.input.IngestInput;
import dev.forebay.workflows.message.Urgency;
import dev.forebay.workflows.state.VersionState;
import dev.forebay.workflows.support.ChildWorkflows;
import dev.forebay.workflows.support.EarlierChild;
import io.temporal.failure.CanceledFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.CancellationScope;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Freezes the version once, however many callers wait. After a failure the next caller starts
 * another attempt.
 */
public final class Ingest {

    private final VersionState state;
    private @Nullable Promise<ManifestRef> running;
    private @Nullable CancellationScope scope;
    private boolean stopping;

    public Ingest(VersionState state) {
        this.state = state;
    }

    public boolean isIdle() {
        return running == null;
    }

    /**
     * Returns the manifest, or the failure of the ingest.
     *
     * @param urgency the priority of an ingest that begins now; one in progress keeps its own,
     *     because starting the listing again would cost more than the priority gains
     */
    public Promise<ManifestRef> manifest(Urgency urgency) {
        ManifestRef known = state.status().manifest();
        if (known != null) {
            return Workflow.newPromise(known);
        }
        Workflow.await(() -> !stopping);
        if (running == null) {
            running = Async.function(() -> ingest(urgency));
        }
        return running;
    }

    private ManifestRef ingest(Urgency urgency) {
        Result result = new Result();
        IngestInput asked = new IngestInput(state.version(), urgency);
        CancellationScope listing =
                Workflow.newCancellationScope(() -> result.value = list(asked).orElse(null));
        scope = listing;
        try {
            listing.run();
            ManifestRef manifest = result.value;
            if (manifest == null) {
                throw new CanceledFailure(
                        "the listing of %s was stopped".formatted(state.version()));
            }
            state.apply(new Ingested(manifest));
            return manifest;
        } finally {
            running = null;
            scope = null;
            stopping = false;
        }
    }

    private Optional<ManifestRef> list(IngestInput input) {
        return EarlierChild.run(
                WorkflowIds.ingest(input.version()),
                () -> ChildWorkflows.ingest(input.version(), input.urgency()).run(input),
                () -> stopping);
    }

    /**
     * Stops the listing, because no client wants the version any more. A later request lists it
     * again.
     */
    public void stop() {
        if (scope != null) {
            stopping = true;
            scope.cancel("no request waits for it any more");
        }
    }

    /** Carries the child's result out of the cancellation scope. */
    private static final class Result {
        private @Nullable ManifestRef value;
    }
}
