package dev.forebay.control.temporal;

import dev.forebay.service.ServiceConfig;
import io.temporal.api.enums.v1.ScheduleOverlapPolicy;
import io.temporal.client.schedules.Schedule;
import io.temporal.client.schedules.ScheduleActionStartWorkflow;
import io.temporal.client.schedules.ScheduleAlreadyRunningException;
import io.temporal.client.schedules.ScheduleClient;
import io.temporal.client.schedules.ScheduleClientOptions;
import io.temporal.client.schedules.ScheduleHandle;
import io.temporal.client.schedules.ScheduleIntervalSpec;
import io.temporal.client.schedules.ScheduleListDescription;
import io.temporal.client.schedules.ScheduleOptions;
import io.temporal.client.schedules.SchedulePolicy;
import io.temporal.client.schedules.ScheduleSpec;
import io.temporal.client.schedules.ScheduleState;
import io.temporal.client.schedules.ScheduleUpdate;
import io.temporal.serviceclient.WorkflowServiceStubs;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * Creates and changes Temporal's Schedules. Calls block and fail as Temporal's client does.
 * Thread-safe.
 */
@Singleton
public class Schedules {

    private static final int JITTER_PART = 10;

    private final ScheduleClient client;

    Schedules(WorkflowServiceStubs stubs, ServiceConfig service) {
        this.client =
                ScheduleClient.newInstance(
                        stubs,
                        ScheduleClientOptions.newBuilder()
                                .setNamespace(service.temporal().namespace())
                                .build());
    }

    public ScheduleHandle handle(String id) {
        return client.getHandle(id);
    }

    /** Returns the ids of the Schedules with this prefix. Temporal may not list a new one yet. */
    public List<String> ids(String prefix) {
        return client.listSchedules()
                .map(ScheduleListDescription::getScheduleId)
                .filter(id -> id.startsWith(prefix))
                .toList();
    }

    /**
     * Creates a Schedule, or changes it.
     *
     * @param schedule returns the Schedule for its present state
     */
    public void put(String id, Function<ScheduleState, Schedule> schedule) {
        try {
            client.createSchedule(
                    id,
                    schedule.apply(ScheduleState.newBuilder().build()),
                    ScheduleOptions.newBuilder().build());
        } catch (ScheduleAlreadyRunningException there) {
            handle(id)
                    .update(
                            present ->
                                    new ScheduleUpdate(
                                            schedule.apply(
                                                    present.getDescription()
                                                            .getSchedule()
                                                            .getState())));
        }
    }

    /**
     * Pauses a Schedule, or resumes it.
     *
     * <p>Uses an update of the Schedule. If Temporal gets an update and a pause in one batch, it
     * applies the pause first, and the update undoes it.
     *
     * @param note the reason, for users
     */
    public void setPaused(String id, boolean paused, String note) {
        handle(id)
                .update(
                        present -> {
                            Schedule schedule = present.getDescription().getSchedule();
                            return new ScheduleUpdate(
                                    Schedule.newBuilder(schedule)
                                            .setState(state(schedule.getState(), paused, note))
                                            .build());
                        });
    }

    public static ScheduleState state(ScheduleState before, boolean paused, String note) {
        return ScheduleState.newBuilder(before).setPaused(paused).setNote(note).build();
    }

    /**
     * Returns a Schedule that skips a start while the workflow before is running. It catches up on
     * a start that is late by less than the interval.
     *
     * @param longestJitter the maximum of the jitter, which is a tenth of the interval. It spreads
     *     the starts of Schedules that were created together
     */
    public static Schedule every(
            Duration interval,
            Duration longestJitter,
            ScheduleActionStartWorkflow action,
            ScheduleState state) {
        Duration part = interval.dividedBy(JITTER_PART);
        return Schedule.newBuilder()
                .setAction(action)
                .setSpec(
                        ScheduleSpec.newBuilder()
                                .setIntervals(List.of(new ScheduleIntervalSpec(interval)))
                                .setJitter(part.compareTo(longestJitter) < 0 ? part : longestJitter)
                                .build())
                .setPolicy(
                        SchedulePolicy.newBuilder()
                                .setOverlap(ScheduleOverlapPolicy.SCHEDULE_OVERLAP_POLICY_SKIP)
                                .setCatchupWindow(interval)
                                .build())
                .setState(state)
                .build();
    }
}
