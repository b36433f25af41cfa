package dev.forebay.control.eviction;

import dev.forebay.control.temporal.TemporalCalls;
import dev.forebay.control.temporal.TemporalCalls.NoSuchRunException;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.EvictionSweepWorkflow;
import dev.forebay.workflows.TaskQueues;
import dev.forebay.workflows.WorkflowIds;
import dev.forebay.workflows.activity.SweepActivities.Outcome;
import io.temporal.api.enums.v1.WorkflowIdConflictPolicy;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowStub;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs sweeps on request, even while the Schedule is paused. Thread-safe. */
@Singleton
public class SweepRuns {

    private static final Duration BEYOND_WAIT = Duration.ofSeconds(5);

    private final WorkflowClient client;
    private final TemporalCalls temporal;

    SweepRuns(WorkflowClient client, TemporalCalls temporal) {
        this.client = client;
        this.temporal = temporal;
    }

    /**
     * A requested sweep.
     *
     * @param outcomes the result for each version; empty while the sweep is running
     */
    public record Run(String workflowId, Optional<List<Outcome>> outcomes) {}

    /**
     * Sweeps a region, or joins a requested sweep that is running, and waits for at most {@code
     * wait}.
     *
     * @throws ForebayException {@code UNAVAILABLE} if Temporal does not answer
     */
    public Run run(RegionName region, Duration wait) {
        String id = WorkflowIds.sweepNow(region);
        WorkflowOptions options =
                WorkflowOptions.newBuilder()
                        .setWorkflowId(id)
                        .setTaskQueue(TaskQueues.LIFECYCLE)
                        .setWorkflowIdConflictPolicy(
                                WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING)
                        .setStaticSummary("Requested sweep of %s".formatted(region))
                        .build();
        try {
            return temporal.call(
                    wait.plus(BEYOND_WAIT),
                    () -> {
                        EvictionSweepWorkflow sweep =
                                client.newWorkflowStub(EvictionSweepWorkflow.class, options);
                        WorkflowClient.start(sweep::run, region);
                        return new Run(id, outcomes(WorkflowStub.fromTyped(sweep), wait));
                    });
        } catch (NoSuchRunException ended) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "the sweep of %s was terminated in Temporal: start another one with 'forebay sweep --region %s'"
                            .formatted(region, region),
                    ended);
        }
    }

    private static Optional<List<Outcome>> outcomes(WorkflowStub sweep, Duration wait) {
        try {
            return Optional.of(
                    List.of(
                            sweep.getResult(
                                    wait.toMillis(), TimeUnit.MILLISECONDS, Outcome[].class)));
        } catch (TimeoutException goesOn) {
            return Optional.empty();
        }
    }
}
