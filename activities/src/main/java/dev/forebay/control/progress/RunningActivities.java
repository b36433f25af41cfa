package dev.forebay.control.progress;

import dev.forebay.control.temporal.TemporalCalls;
import dev.forebay.control.temporal.TemporalCalls.NoSuchRunException;
import dev.forebay.control.temporal.VersionWorkflows;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.ServiceConfig;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.WorkflowIds;
import dev.forebay.workflows.activity.RegionActivities.WarmProgress;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.api.enums.v1.PendingActivityState;
import io.temporal.api.workflow.v1.PendingActivityInfo;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the progress and the failures of running activities from Temporal. A workflow learns of a
 * failure only after the last retry, which takes hours, and of progress only after each batch.
 * Thread-safe.
 */
@Singleton
public class RunningActivities {

    /** The type of the activity that fills. */
    private static final String WARM = "Warm";

    /**
     * The grace period until an activity counts as not taken. A free worker takes one within
     * milliseconds.
     */
    private static final Duration UNTIL_TAKEN = Duration.ofSeconds(5);

    private final VersionWorkflows workflows;
    private final TemporalCalls temporal;
    private final Duration timeout;

    RunningActivities(VersionWorkflows workflows, TemporalCalls temporal, ServiceConfig config) {
        this.workflows = workflows;
        this.temporal = temporal;
        this.timeout = config.temporal().queryTimeout();
    }

    /**
     * The last report of an activity.
     *
     * @param waiting why it makes no progress; null if it does
     * @param failed the number of failed attempts
     * @param bytes the bytes that it has filled, beyond those that the workflow knows
     * @param objects the files that it has filled, beyond those that the workflow knows
     */
    public record Work(@Nullable Problem waiting, int failed, long bytes, long objects) {

        /** No activity is running, or nothing is known of it. */
        static final Work NONE = new Work(null, 0, 0, 0);
    }

    /**
     * Returns the work in each region that fills or evicts the version, by the region's name.
     * Regions are missing while Temporal does not answer.
     */
    public Map<String, Work> of(VersionStatus status) {
        Map<String, Work> found = new TreeMap<>();
        try {
            for (Residency residency : status.regions()) {
                of(status, residency)
                        .ifPresent(work -> found.put(residency.region().value(), work));
            }
        } catch (ForebayException unanswered) {
            return found;
        }
        return found;
    }

    /**
     * Returns why the freeze of a version without a region makes no progress; empty if it does, or
     * none is running.
     */
    public Optional<Problem> freezing(DatasetVersion version) {
        try {
            return of(WorkflowIds.freeze(version), "control plane")
                    .flatMap(work -> Optional.ofNullable(work.waiting()));
        } catch (ForebayException unanswered) {
            return Optional.empty();
        }
    }

    private Optional<Work> of(VersionStatus status, Residency residency) {
        RegionName region = residency.region();
        return switch (residency.state()) {
            case WARMING ->
                    status.manifest() == null
                            ? of(WorkflowIds.ingest(status.version()), "control plane")
                            : of(
                                    WorkflowIds.prewarm(status.version(), region),
                                    "agent of " + region);
            case EVICTING -> of(WorkflowIds.evict(status.version(), region), "agent of " + region);
            case ABSENT, CACHED, BLOCKED -> Optional.empty();
        };
    }

    /**
     * Returns the work of a child workflow. If several activities are pending, prefers one that
     * failed.
     */
    private Optional<Work> of(String child, String whoWorks) {
        try {
            return temporal.call(timeout, () -> workflows.pendingActivities(child)).stream()
                    .max(Comparator.comparing(PendingActivityInfo::hasLastFailure))
                    .map(activity -> work(activity, whoWorks));
        } catch (NoSuchRunException notBegun) {
            return Optional.empty();
        }
    }

    private Work work(PendingActivityInfo activity, String whoWorks) {
        Optional<WarmProgress> said =
                activity.getActivityType().getName().equals(WARM)
                        ? workflows.heartbeat(activity, WarmProgress.class)
                        : Optional.empty();
        return new Work(
                waiting(activity, whoWorks).orElse(null),
                Math.max(0, activity.getAttempt() - 1),
                said.map(WarmProgress::bytesVerified).orElse(0L),
                said.map(WarmProgress::objects).orElse(0L));
    }

    private Optional<Problem> waiting(PendingActivityInfo activity, String whoWorks) {
        boolean begun =
                activity.getState() != PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED;
        if (activity.hasLastFailure()) {
            Problem last = Failures.problem(workflows.failure(activity.getLastFailure()));
            return Optional.of(
                    new Problem(
                            last.code(),
                            "%s (attempt %d %s)"
                                    .formatted(
                                            last.message(),
                                            activity.getAttempt(),
                                            begun ? "is running" : "follows")));
        }
        Duration waited = Duration.between(scheduled(activity), Instant.now());
        if (begun || waited.compareTo(UNTIL_TAKEN) < 0) {
            return Optional.empty();
        }
        return Optional.of(
                new Problem(
                        ErrorCode.UNAVAILABLE,
                        "no %s has started '%s' for %d s: none is running, or all are busy; 'forebay regions' shows agents"
                                .formatted(
                                        whoWorks,
                                        activity.getActivityType().getName(),
                                        waited.toSeconds())));
    }

    private static Instant scheduled(PendingActivityInfo activity) {
        return Instant.ofEpochSecond(
                activity.getScheduledTime().getSeconds(), activity.getScheduledTime().getNanos());
    }
}
