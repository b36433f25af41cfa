package dev.forebay.control.tracking;

import dev.forebay.control.temporal.Schedules;
import dev.forebay.control.temporal.TemporalCalls;
import dev.forebay.model.DatasetName;
import dev.forebay.workflows.DriftCheckWorkflow;
import dev.forebay.workflows.SearchAttributes;
import dev.forebay.workflows.TaskQueues;
import dev.forebay.workflows.WorkflowIds;
import io.temporal.api.enums.v1.ScheduleOverlapPolicy;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.schedules.Schedule;
import io.temporal.client.schedules.ScheduleActionStartWorkflow;
import io.temporal.client.schedules.ScheduleDescription;
import io.temporal.client.schedules.ScheduleHandle;
import io.temporal.client.schedules.ScheduleState;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The Schedules that check datasets for changes of their source, one for each dataset. Calls block
 * and fail as Temporal's client does, so callers go through {@link TemporalCalls}. Thread-safe.
 */
@Singleton
class DriftSchedules {

    private static final Duration LONGEST_JITTER = Duration.ofMinutes(5);

    private final Schedules schedules;

    DriftSchedules(Schedules schedules) {
        this.schedules = schedules;
    }

    /**
     * The state of a Schedule in Temporal.
     *
     * @param next the time of the next check; empty if the Schedule is paused
     */
    record State(boolean paused, Optional<Instant> next) {}

    /**
     * Creates the Schedule of a dataset, or changes it.
     *
     * <p>Uses a single request to Temporal, for the reason that {@link Schedules#setPaused} gives.
     *
     * @param paused whether to pause it; empty keeps the state, or does not pause
     */
    void put(DatasetName dataset, Duration interval, Optional<Boolean> paused) {
        schedules.put(
                WorkflowIds.driftCheck(dataset),
                before -> schedule(dataset, interval, state(before, paused)));
    }

    /**
     * Starts a check now, even if the Schedule is paused. If a check is running, starts another one
     * after it.
     */
    void trigger(DatasetName dataset) {
        handle(dataset).trigger(ScheduleOverlapPolicy.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE);
    }

    void delete(DatasetName dataset) {
        handle(dataset).delete();
    }

    State state(DatasetName dataset) {
        ScheduleDescription description = handle(dataset).describe();
        boolean paused = description.getSchedule().getState().isPaused();
        return new State(
                paused,
                description.getInfo().getNextActionTimes().stream()
                        .filter(time -> !paused)
                        .findFirst());
    }

    private ScheduleHandle handle(DatasetName dataset) {
        return schedules.handle(WorkflowIds.driftCheck(dataset));
    }

    private static ScheduleState state(ScheduleState before, Optional<Boolean> paused) {
        return paused.filter(pauses -> pauses != before.isPaused())
                .map(
                        pauses ->
                                Schedules.state(
                                        before,
                                        pauses,
                                        pauses
                                                ? "paused through Forebay's API"
                                                : "resumed through Forebay's API"))
                .orElse(before);
    }

    private static Schedule schedule(DatasetName dataset, Duration interval, ScheduleState state) {
        WorkflowOptions options =
                WorkflowOptions.newBuilder()
                        .setWorkflowId(WorkflowIds.driftCheck(dataset))
                        .setTaskQueue(TaskQueues.LIFECYCLE)
                        .setTypedSearchAttributes(
                                io.temporal.common.SearchAttributes.newBuilder()
                                        .set(SearchAttributes.DATASET, dataset.toString())
                                        .set(SearchAttributes.NAMESPACE, dataset.namespace())
                                        .build())
                        .setStaticSummary("Check the source of %s for changes".formatted(dataset))
                        // The SDK cannot read a Schedule that has a summary without details.
                        .setStaticDetails(
                                "Lists the lake and compares it with the newest version. Changes "
                                        + "become a new version.")
                        .build();
        return Schedules.every(
                interval,
                LONGEST_JITTER,
                ScheduleActionStartWorkflow.newBuilder()
                        .setWorkflowType(DriftCheckWorkflow.class)
                        .setArguments(dataset)
                        .setOptions(options)
                        .build(),
                state);
    }
}
