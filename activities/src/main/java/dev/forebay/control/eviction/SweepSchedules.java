package dev.forebay.control.eviction;

import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.control.regions.Regions;
import dev.forebay.control.temporal.Schedules;
import dev.forebay.control.temporal.TemporalCalls;
import dev.forebay.control.temporal.TemporalCalls.NoSuchRunException;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.EvictionSweepWorkflow;
import dev.forebay.workflows.TaskQueues;
import dev.forebay.workflows.WorkflowIds;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.schedules.Schedule;
import io.temporal.client.schedules.ScheduleActionResult;
import io.temporal.client.schedules.ScheduleActionStartWorkflow;
import io.temporal.client.schedules.ScheduleDescription;
import io.temporal.client.schedules.ScheduleHandle;
import io.temporal.client.schedules.ScheduleState;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * Manages the Schedules of sweeps, one for each region.
 *
 * <p>Keeps changes that an operator made to a Schedule, such as a pause. The interval and the
 * workflow come from the configuration. Thread-safe.
 */
@Singleton
public class SweepSchedules {

    private static final Logger LOG = Logger.getLogger(SweepSchedules.class);

    private static final Duration LONGEST_JITTER = Duration.ofSeconds(30);

    private final Schedules schedules;
    private final Regions regions;
    private final TemporalCalls temporal;
    private final Duration interval;

    SweepSchedules(
            Schedules schedules,
            Regions regions,
            TemporalCalls temporal,
            ControlPlaneConfig config) {
        this.schedules = schedules;
        this.regions = regions;
        this.temporal = temporal;
        this.interval = config.sweep().interval();
    }

    /**
     * The state of a region's Schedule.
     *
     * @param note why it is paused or was resumed, for users
     * @param lastAt when it last started a sweep; empty if it never did
     * @param nextAt when it starts the next sweep; empty while it is paused
     */
    public record State(
            boolean paused,
            String note,
            Duration interval,
            Optional<Instant> lastAt,
            Optional<Instant> nextAt) {}

    /**
     * Returns the state of a region's Schedule.
     *
     * @throws ForebayException {@code UNAVAILABLE} if Temporal does not answer
     */
    public State state(RegionName region) {
        return call(region, SweepSchedules::state);
    }

    /**
     * Pauses a region's Schedule. A running sweep continues.
     *
     * @param why the reason, for users
     * @throws ForebayException as {@link #state(RegionName)}
     */
    public State pause(RegionName region, String why) {
        return setPaused(region, true, why);
    }

    /**
     * Resumes a region's Schedule. Does nothing if it is not paused.
     *
     * @param why the reason, for users
     * @throws ForebayException as {@link #state(RegionName)}
     */
    public State resume(RegionName region, String why) {
        return setPaused(region, false, why);
    }

    private State setPaused(RegionName region, boolean paused, String why) {
        return call(
                region,
                schedule -> {
                    schedules.setPaused(schedule.getId(), paused, why);
                    return state(schedule);
                });
    }

    private State call(RegionName region, Function<ScheduleHandle, State> call) {
        try {
            return temporal.call(() -> call.apply(schedules.handle(WorkflowIds.sweep(region))));
        } catch (NoSuchRunException absent) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "Temporal has no Schedule '%s': restart the control plane, which creates it"
                            .formatted(WorkflowIds.sweep(region)),
                    absent);
        }
    }

    private static State state(ScheduleHandle schedule) {
        ScheduleDescription now = schedule.describe();
        ScheduleState state = now.getSchedule().getState();
        String note = state.getNote();
        return new State(
                state.isPaused(),
                note == null ? "" : note,
                now.getSchedule().getSpec().getIntervals().getFirst().getEvery(),
                now.getInfo().getRecentActions().stream()
                        .map(ScheduleActionResult::getStartedAt)
                        .max(Comparator.naturalOrder()),
                state.isPaused()
                        ? Optional.empty()
                        : now.getInfo().getNextActionTimes().stream().findFirst());
    }

    public void ensureScheduled() {
        for (String name : regions.names()) {
            RegionName region = new RegionName(name);
            schedules.put(WorkflowIds.sweep(region), state -> schedule(region, state));
        }
    }

    /**
     * Deletes the Schedules of regions that are no longer configured, because no agent serves them.
     */
    public void deleteOthers() {
        Set<String> ours =
                regions.names().stream()
                        .map(name -> WorkflowIds.sweep(new RegionName(name)))
                        .collect(Collectors.toSet());
        for (String id : schedules.ids(WorkflowIds.SWEEPS)) {
            if (!ours.contains(id)) {
                delete(id);
            }
        }
    }

    private void delete(String id) {
        LOG.infof("Schedule %s is deleted: its region is not configured", id);
        try {
            temporal.call(
                    () -> {
                        schedules.handle(id).delete();
                        return true;
                    });
        } catch (NoSuchRunException gone) {
            LOG.debugf(gone, "Another control plane has deleted %s", id);
        }
    }

    private Schedule schedule(RegionName region, ScheduleState state) {
        WorkflowOptions options =
                WorkflowOptions.newBuilder()
                        .setWorkflowId(WorkflowIds.sweep(region))
                        .setTaskQueue(TaskQueues.LIFECYCLE)
                        .setStaticSummary("Sweep of %s".formatted(region))
                        // The SDK cannot read a Schedule that has a summary without details.
                        .setStaticDetails(
                                "Finds copies whose time to live has ended, copies of deleted "
                                        + "datasets, orphans, and copies whose space is needed. Asks the "
                                        + "workflow of each version to evict its copy.")
                        .build();
        return Schedules.every(
                interval,
                LONGEST_JITTER,
                ScheduleActionStartWorkflow.newBuilder()
                        .setWorkflowType(EvictionSweepWorkflow.class)
                        .setArguments(region)
                        .setOptions(options)
                        .build(),
                state);
    }
}
