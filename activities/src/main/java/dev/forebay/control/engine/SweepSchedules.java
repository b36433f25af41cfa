package dev.forebay.control.engine;

import dev.forebay.control.ControlPlaneConfig;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.RegionName;
import dev.forebay.service.ServiceConfig;
import dev.forebay.workflows.EvictionSweepWorkflow;
import dev.forebay.workflows.TaskQueues;
import dev.forebay.workflows.WorkflowIds;
import io.temporal.api.enums.v1.ScheduleOverlapPolicy;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.schedules.Schedule;
import io.temporal.client.schedules.ScheduleActionStartWorkflow;
import io.temporal.client.schedules.ScheduleAlreadyRunningException;
import io.temporal.client.schedules.ScheduleClient;
import io.temporal.client.schedules.ScheduleClientOptions;
import io.temporal.client.schedules.ScheduleIntervalSpec;
import io.temporal.client.schedules.ScheduleOptions;
import io.temporal.client.schedules.SchedulePolicy;
import io.temporal.client.schedules.ScheduleSpec;
import io.temporal.client.schedules.ScheduleState;
import io.temporal.client.schedules.ScheduleUpdate;
import io.temporal.serviceclient.WorkflowServiceStubs;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;

/**
 * Keeps one Schedule per region that evicts what has outlived its time.
 *
 * <p>What a person did to a Schedule in Temporal, such as pausing it, stays; its interval and what
 * it starts come from the configuration.
 */
@Singleton
class SweepSchedules {

    /** Regions do not all sweep in the same moment. */
    private static final int JITTER_PART = 10;

    private static final Duration LONGEST_JITTER = Duration.ofSeconds(30);

    private final WorkflowServiceStubs stubs;
    private final Regions regions;
    private final String namespace;
    private final Duration interval;

    SweepSchedules(
            WorkflowServiceStubs stubs,
            Regions regions,
            ServiceConfig service,
            ControlPlaneConfig config) {
        this.stubs = stubs;
        this.regions = regions;
        this.namespace = service.temporal().namespace();
        this.interval = config.sweep().interval();
    }

    void ensureScheduled() {
        ScheduleClient client =
                ScheduleClient.newInstance(
                        stubs, ScheduleClientOptions.newBuilder().setNamespace(namespace).build());
        for (String name : regions.names()) {
            RegionName region = new RegionName(name);
            try {
                client.createSchedule(
                        WorkflowIds.sweep(region),
                        schedule(region, ScheduleState.newBuilder().build()),
                        ScheduleOptions.newBuilder().build());
            } catch (ScheduleAlreadyRunningException there) {
                client.getHandle(WorkflowIds.sweep(region))
                        .update(
                                present ->
                                        new ScheduleUpdate(
                                                schedule(
                                                        region,
                                                        present.getDescription()
                                                                .getSchedule()
                                                                .getState())));
            }
        }
    }

    private Schedule schedule(RegionName region, ScheduleState state) {
        Duration part = interval.dividedBy(JITTER_PART);
        return Schedule.newBuilder()
                .setAction(
                        ScheduleActionStartWorkflow.newBuilder()
                                .setWorkflowType(EvictionSweepWorkflow.class)
                                .setArguments(region)
                                .setOptions(
                                        WorkflowOptions.newBuilder()
                                                .setWorkflowId(WorkflowIds.sweep(region))
                                                .setTaskQueue(TaskQueues.LIFECYCLE)
                                                .setStaticSummary(
                                                        "evict from %s what has outlived its time to live"
                                                                .formatted(region))
                                                // The SDK cannot read a Schedule that has a
                                                // summary without details.
                                                .setStaticDetails(
                                                        "Asks the catalogue which versions have expired, and the"
                                                                + " workflow of each to evict it if it still is.")
                                                .build())
                                .build())
                .setSpec(
                        ScheduleSpec.newBuilder()
                                .setIntervals(List.of(new ScheduleIntervalSpec(interval)))
                                .setJitter(
                                        part.compareTo(LONGEST_JITTER) < 0 ? part : LONGEST_JITTER)
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
