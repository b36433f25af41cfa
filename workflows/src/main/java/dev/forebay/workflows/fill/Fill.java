package dev.forebay.workflows.fill;

import dev.forebay.lifecycle.VersionEvent.Confirmed;
import dev.forebay.lifecycle.VersionEvent.FillFailed;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.PrewarmWorkflow;
import dev.forebay.workflows.WorkflowIds;
import dev.forebay.workflows.ingest.Ingest;
import dev.forebay.workflows.input.PrewarmInput;
import dev.forebay.workflows.message.FillResult;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.Urgency;
import dev.forebay.workflows.state.VersionState;
import dev.forebay.workflows.support.ChildWorkflows;
import dev.forebay.workflows.support.EarlierChild;
import io.temporal.failure.CanceledFailure;
import io.temporal.failure.TemporalException;
import io.temporal.failure.TemporalFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.CancellationScope;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One fill of one region, shared by all callers that wait for it. It ingests the version if
 * necessary, then prewarms, until the region is CACHED, BLOCKED or evicted. If the workflow's run
 * ends first, the next run continues the fill.
 */
final class Fill {

    private final VersionState state;
    private final Ingest ingest;
    private final CoverageQueries coverageQueries;
    private final RegionName region;
    private final BooleanSupplier halting;
    private Urgency urgency;
    private boolean working;
    private boolean stopping;
    private @Nullable CancellationScope scope;
    private @Nullable PrewarmWorkflow prewarm;

    /**
     * @param halting whether the run is about to end; then no attempt begins, and the next run
     *     answers the callers that wait for the fill
     */
    Fill(
            VersionState state,
            Ingest ingest,
            CoverageQueries coverageQueries,
            RegionName region,
            BooleanSupplier halting,
            Urgency urgency) {
        this.state = state;
        this.ingest = ingest;
        this.coverageQueries = coverageQueries;
        this.region = region;
        this.halting = halting;
        this.urgency = urgency;
    }

    /** The outcome of an attempt. */
    private sealed interface Outcome {
        record Filled(FillResult result) implements Outcome {}

        record Failed(Problem problem) implements Outcome {}

        /** Stopped in favour of an eviction or of the next run. */
        record Stopped() implements Outcome {}
    }

    /**
     * Fills the region, and returns when it is CACHED.
     *
     * @throws io.temporal.failure.ApplicationFailure with the code of the BLOCKED region, or
     *     EVICTING if the version was evicted meanwhile
     */
    void run() {
        while (true) {
            Workflow.await(() -> !halting.getAsBoolean());
            working = true;
            Outcome outcome = attempt();
            working = false;
            state.awaitNotEvicting(region);
            if (state.state(region) != State.WARMING) {
                throw Failures.refusal(
                        ErrorCode.EVICTING,
                        "%s was evicted from %s while it was being filled: 'forebay explain %s --region %s' says why"
                                .formatted(state.version(), region, state.version(), region));
            }
            switch (outcome) {
                case Outcome.Filled(FillResult result) -> {
                    confirm(result);
                    return;
                }
                case Outcome.Failed(Problem problem) -> throw blocked(problem);
                // The eviction was refused because of a pin: continue to fill, here or in the next
                // run.
                case Outcome.Stopped() -> stopping = false;
            }
        }
    }

    /** Stops the work for an eviction and waits until nothing fills the region any more. */
    void stop() {
        stopping = true;
        interrupt("evicting");
        Workflow.await(() -> !working);
    }

    /** Ends the attempt in progress. */
    void interrupt(String why) {
        if (scope != null) {
            scope.cancel(why);
        }
    }

    boolean isWorking() {
        return working;
    }

    private boolean isInterrupted() {
        return stopping || halting.getAsBoolean();
    }

    boolean isStopping() {
        return stopping;
    }

    Urgency urgency() {
        return urgency;
    }

    /** Raises the priority of the fill, because a client waits for it from now on. */
    void hurry() {
        if (urgency == Urgency.INTERACTIVE) {
            return;
        }
        urgency = Urgency.INTERACTIVE;
        PrewarmWorkflow child = prewarm;
        if (child != null) {
            var _ = Async.procedure(() -> hurry(child));
        }
    }

    /** Signals the child by its id, because it may have continued as new. */
    private void hurry(PrewarmWorkflow child) {
        try {
            Workflow.getWorkflowExecution(child).get();
            Workflow.newExternalWorkflowStub(
                            PrewarmWorkflow.class, WorkflowIds.prewarm(state.version(), region))
                    .hurry();
        } catch (TemporalException gone) {
            Workflow.getLogger(Fill.class)
                    .warn(
                            "Cannot signal to the fill of {} in {} that a client waits for it; it "
                                    + "keeps its low priority",
                            state.version(),
                            region);
        }
    }

    private void confirm(FillResult result) {
        state.apply(
                new Confirmed(
                        region,
                        result.bytesVerified(),
                        result.bytesFromLake(),
                        result.bytesFromSiblings(),
                        VersionState.now()));
        if (state.state(region) != State.CACHED) {
            throw blocked(
                    new Problem(
                            ErrorCode.INTERNAL,
                            "%s holds %d bytes of %s, which differs from the version's size"
                                    .formatted(region, result.bytesVerified(), state.version())));
        }
    }

    private RuntimeException blocked(Problem problem) {
        Problem advised = FillAdvice.with(problem, state.version(), region);
        state.apply(new FillFailed(region, advised));
        return Failures.givenUp(advised);
    }

    private Outcome attempt() {
        try {
            Promise<ManifestRef> manifest = ingest.manifest(urgency);
            Workflow.await(() -> manifest.isCompleted() || isInterrupted());
            return isInterrupted() ? new Outcome.Stopped() : prewarm(manifest.get());
        } catch (TemporalFailure failure) {
            if (!isInterrupted()) {
                // Shows people how many bytes the next attempt can use.
                coverageQueries.at(region, VersionState.now(), this::isInterrupted);
            }
            return isInterrupted()
                    ? new Outcome.Stopped()
                    : new Outcome.Failed(Failures.problem(failure));
        }
    }

    private Outcome prewarm(ManifestRef manifest) {
        return EarlierChild.run(
                        WorkflowIds.prewarm(state.version(), region),
                        () -> child(manifest),
                        this::isInterrupted)
                .<Outcome>map(Outcome.Filled::new)
                .orElseGet(Outcome.Stopped::new);
    }

    private FillResult child(ManifestRef manifest) {
        PrewarmInput input =
                new PrewarmInput(
                        state.version(),
                        manifest,
                        region,
                        state.residency(region).bytesFromLake(),
                        null,
                        urgency);
        Result result = new Result();
        PrewarmWorkflow child = ChildWorkflows.prewarm(state.version(), region, urgency);
        CancellationScope running =
                Workflow.newCancellationScope(() -> result.value = child.run(input));
        scope = running;
        prewarm = child;
        try {
            running.run();
        } finally {
            scope = null;
            prewarm = null;
        }
        FillResult filled = result.value;
        if (filled == null) {
            throw new CanceledFailure("the fill of %s was stopped".formatted(region));
        }
        return filled;
    }

    /** Carries the child's result out of the cancellation scope. */
    private static final class Result {
        private @Nullable FillResult value;
    }
}
