package dev.forebay.workflows.support;

import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.TaskQueues;
import dev.forebay.workflows.activity.BudgetActivities;
import dev.forebay.workflows.activity.CatalogueActivities;
import dev.forebay.workflows.activity.IngestActivities;
import dev.forebay.workflows.activity.RegionActivities;
import dev.forebay.workflows.activity.SiblingActivities;
import dev.forebay.workflows.activity.SpaceActivities;
import dev.forebay.workflows.activity.SweepActivities;
import dev.forebay.workflows.activity.TrackingActivities;
import dev.forebay.workflows.message.Urgency;
import io.temporal.activity.ActivityCancellationType;
import io.temporal.activity.ActivityOptions;
import io.temporal.common.Priority;
import io.temporal.common.RetryOptions;
import io.temporal.workflow.Workflow;
import java.time.Duration;

/**
 * The activity stubs of all workflows, with their timeouts, retries and priorities.
 *
 * <p>Each activity has two timeouts. One bounds an attempt, after which its process counts as dead.
 * Missing heartbeats end an attempt earlier. The other bounds the whole, after which a person has
 * to act. Between them Temporal retries a retryable failure with a backoff from 1 s to 1 min,
 * without a limit of attempts.
 */
public final class ActivityStubs {

    /** A client waits for the answer: before all long work. */
    private static final int URGENT = 1;

    private static final int NORMAL = 3;

    /** No client waits. */
    private static final int BACKGROUND = 4;

    /**
     * Long work that no client waits for yet: after everything else. Temporal's lowest priority.
     */
    private static final int SPECULATIVE = 5;

    private static final Duration HEARTBEAT = Duration.ofSeconds(20);

    private ActivityStubs() {}

    public static IngestActivities ingest(DatasetVersion version, Urgency urgency) {
        ActivityOptions options =
                bounded(Duration.ofHours(24), Duration.ofHours(48))
                        .setHeartbeatTimeout(HEARTBEAT)
                        .setTaskQueue(TaskQueues.INGEST)
                        .setPriority(priority(version, urgency))
                        .setSummary("list the lake and store the manifest")
                        .build();
        return Workflow.newActivityStub(IngestActivities.class, options);
    }

    public static CatalogueActivities project(DatasetVersion version) {
        ActivityOptions options =
                bounded(Duration.ofSeconds(30), Duration.ofMinutes(5))
                        .setPriority(priority(version, NORMAL))
                        .setSummary("update the catalogue")
                        .build();
        return Workflow.newActivityStub(CatalogueActivities.class, options);
    }

    public static TrackingActivities driftCheck(DatasetName dataset) {
        ActivityOptions options =
                bounded(Duration.ofHours(24), Duration.ofHours(48))
                        .setHeartbeatTimeout(HEARTBEAT)
                        .setTaskQueue(TaskQueues.TRACKING)
                        .setPriority(priority(dataset, BACKGROUND))
                        .setSummary("list the lake and compare")
                        .build();
        return Workflow.newActivityStub(TrackingActivities.class, options);
    }

    public static TrackingActivities trackingReport(DatasetName dataset) {
        ActivityOptions options =
                bounded(Duration.ofSeconds(30), Duration.ofMinutes(5))
                        .setPriority(priority(dataset, BACKGROUND))
                        .setSummary("update the catalogue")
                        .build();
        return Workflow.newActivityStub(TrackingActivities.class, options);
    }

    public static SweepActivities sweep(RegionName region, String summary) {
        ActivityOptions options =
                bounded(Duration.ofMinutes(15), Duration.ofMinutes(30))
                        .setHeartbeatTimeout(HEARTBEAT)
                        .setSummary(summary + " in " + region)
                        .build();
        return Workflow.newActivityStub(SweepActivities.class, options);
    }

    /**
     * Retries a version that waits for space every few seconds, for at most {@code timeout}. A
     * cancelled fill waits for an attempt that has begun: it may admit the version, and the
     * clean-up must then find the mount.
     */
    public static RegionActivities admit(
            DatasetVersion version, RegionName region, Urgency urgency, Duration timeout) {
        return admit(
                version,
                region,
                urgency,
                bounded(Duration.ofSeconds(30), timeout)
                        .setRetryOptions(
                                backOff().setMaximumInterval(Duration.ofSeconds(10)).build()));
    }

    /**
     * As {@link #admit}, but without a retry if there is no space. Retries other failures here,
     * where Temporal's UI shows them.
     */
    public static RegionActivities admitAtOnce(
            DatasetVersion version, RegionName region, Urgency urgency) {
        return admit(
                version,
                region,
                urgency,
                bounded(Duration.ofSeconds(30), Duration.ofHours(1))
                        .setRetryOptions(
                                backOff()
                                        .setDoNotRetry(ErrorCode.CAPACITY_EXCEEDED.name())
                                        .build()));
    }

    private static RegionActivities admit(
            DatasetVersion version,
            RegionName region,
            Urgency urgency,
            ActivityOptions.Builder tried) {
        return region(
                version,
                region,
                tried.setCancellationType(ActivityCancellationType.WAIT_CANCELLATION_COMPLETED),
                key(urgency),
                "wait for space");
    }

    public static SpaceActivities quota(DatasetVersion version) {
        ActivityOptions options =
                bounded(Duration.ofSeconds(30), Duration.ofHours(1))
                        .setPriority(priority(version, NORMAL))
                        .setSummary("read the quota of its namespace")
                        .build();
        return Workflow.newActivityStub(SpaceActivities.class, options);
    }

    public static SpaceActivities freeSpace(
            DatasetVersion version, RegionName region, Urgency urgency) {
        ActivityOptions options =
                bounded(Duration.ofMinutes(15), Duration.ofMinutes(30))
                        .setHeartbeatTimeout(HEARTBEAT)
                        .setPriority(priority(version, urgency))
                        .setSummary("make space in " + region)
                        .build();
        return Workflow.newActivityStub(SpaceActivities.class, options);
    }

    /** Gives up soon, because the lake is always an alternative. */
    public static SiblingActivities siblings(
            DatasetVersion version, RegionName region, Urgency urgency) {
        ActivityOptions options =
                bounded(Duration.ofSeconds(40), Duration.ofMinutes(1))
                        .setPriority(priority(version, urgency))
                        .setSummary("choose the sources for " + region)
                        .build();
        return Workflow.newActivityStub(SiblingActivities.class, options);
    }

    public static RegionActivities fillFrom(
            DatasetVersion version, RegionName region, Urgency urgency, int siblings) {
        return region(
                version,
                region,
                bounded(Duration.ofSeconds(30), Duration.ofHours(1)),
                key(urgency),
                siblings == 0
                        ? "fill from the lake"
                        : "fill from other regions (%d) before the lake".formatted(siblings));
    }

    public static RegionActivities warm(
            DatasetVersion version, RegionName region, Urgency urgency, String summary) {
        return region(
                version,
                region,
                TaskQueues.warm(region),
                bounded(Duration.ofHours(6), Duration.ofHours(12))
                        .setHeartbeatTimeout(HEARTBEAT)
                        .setCancellationType(ActivityCancellationType.WAIT_CANCELLATION_COMPLETED),
                key(urgency),
                summary);
    }

    public static RegionActivities confirm(
            DatasetVersion version, RegionName region, Urgency urgency) {
        return region(
                version,
                region,
                bounded(Duration.ofMinutes(2), Duration.ofHours(2)),
                key(urgency),
                "read the coverage from all workers");
    }

    /** Waits up to the next month if necessary, when a new budget begins. */
    public static BudgetActivities budget(DatasetVersion version) {
        ActivityOptions options =
                bounded(Duration.ofSeconds(30), Duration.ofDays(40))
                        .setPriority(priority(version, SPECULATIVE))
                        .setSummary(
                                "check the budget of namespace %s for speculative fills"
                                        .formatted(version.dataset().namespace()))
                        .build();
        return Workflow.newActivityStub(BudgetActivities.class, options);
    }

    /** Fails soon if the region is away, because a client waits and can ask again. */
    public static RegionActivities prove(DatasetVersion version, RegionName region) {
        return region(
                version,
                region,
                bounded(Duration.ofMinutes(1), Duration.ofMinutes(2)),
                URGENT,
                "check that every byte is present");
    }

    /** Fails soon: a client waits for the coverage but can do without it. */
    public static RegionActivities query(DatasetVersion version, RegionName region) {
        return region(
                version,
                region,
                bounded(Duration.ofSeconds(30), Duration.ofMinutes(1)),
                URGENT,
                "read the coverage");
    }

    /** Does not retry EVICTING, because the workflow knows when the eviction is over. */
    public static RegionActivities pin(DatasetVersion version, RegionName region, String summary) {
        return region(
                version,
                region,
                bounded(Duration.ofSeconds(10), Duration.ofMinutes(2))
                        .setRetryOptions(
                                backOff().setDoNotRetry(ErrorCode.EVICTING.name()).build()),
                URGENT,
                summary);
    }

    public static RegionActivities beginEviction(DatasetVersion version, RegionName region) {
        return region(
                version,
                region,
                bounded(Duration.ofSeconds(30), Duration.ofHours(1)),
                BACKGROUND,
                "fence against new pins");
    }

    public static RegionActivities drop(DatasetVersion version, RegionName region) {
        return region(
                version,
                region,
                bounded(Duration.ofMinutes(2), Duration.ofHours(6)).setHeartbeatTimeout(HEARTBEAT),
                BACKGROUND,
                "drop the chunks");
    }

    /** Returns the priority of a fill. */
    public static Priority priority(DatasetVersion version, Urgency urgency) {
        return priority(version, key(urgency));
    }

    private static int key(Urgency urgency) {
        return switch (urgency) {
            case INTERACTIVE -> NORMAL;
            case SPECULATIVE -> SPECULATIVE;
        };
    }

    /** Returns a priority within a task queue, with fairness among the namespaces that share it. */
    private static Priority priority(DatasetVersion version, int key) {
        return priority(version.dataset(), key);
    }

    private static Priority priority(DatasetName dataset, int key) {
        return Priority.newBuilder()
                .setPriorityKey(key)
                .setFairnessKey(dataset.namespace())
                .build();
    }

    private static RegionActivities region(
            DatasetVersion version,
            RegionName region,
            ActivityOptions.Builder options,
            int priority,
            String summary) {
        return region(version, region, TaskQueues.region(region), options, priority, summary);
    }

    private static RegionActivities region(
            DatasetVersion version,
            RegionName region,
            String taskQueue,
            ActivityOptions.Builder options,
            int priority,
            String summary) {
        return Workflow.newActivityStub(
                RegionActivities.class,
                options.setTaskQueue(taskQueue)
                        .setPriority(priority(version, priority))
                        .setSummary(summary + " in " + region)
                        .build());
    }

    private static ActivityOptions.Builder bounded(Duration attempt, Duration whole) {
        return ActivityOptions.newBuilder()
                .setStartToCloseTimeout(attempt)
                .setScheduleToCloseTimeout(whole)
                .setRetryOptions(backOff().build());
    }

    private static RetryOptions.Builder backOff() {
        return RetryOptions.newBuilder()
                .setInitialInterval(Duration.ofSeconds(1))
                .setBackoffCoefficient(2)
                .setMaximumInterval(Duration.ofMinutes(1));
    }
}
