package dev.forebay.control.engine;

import dev.forebay.control.engine.TemporalCalls.NoSuchRunException;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.ServiceConfig;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.WorkflowIds;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.api.enums.v1.PendingActivityState;
import io.temporal.api.workflow.v1.PendingActivityInfo;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Why what is under way for a version does not get on. Workflows hear of a failure only when
 * Temporal has given up trying again, which takes hours; until then Temporal is asked what its
 * activities wait for. Safe for use by many threads.
 */
@Singleton
public class Delays {

    /** Somebody who polls takes an activity within milliseconds. */
    private static final Duration UNTIL_TAKEN = Duration.ofSeconds(5);

    private final VersionWorkflows workflows;
    private final TemporalCalls temporal;
    private final Duration patience;

    Delays(VersionWorkflows workflows, TemporalCalls temporal, ServiceConfig config) {
        this.workflows = workflows;
        this.temporal = temporal;
        this.patience = config.temporal().queryTimeout();
    }

    /**
     * What each region waits for that fills or evicts the version, by the region's name; empty as
     * long as Temporal does not answer.
     */
    public Map<String, Problem> of(VersionStatus status) {
        Map<String, Problem> found = new TreeMap<>();
        try {
            for (Residency residency : status.regions()) {
                of(status, residency)
                        .ifPresent(problem -> found.put(residency.region().value(), problem));
            }
        } catch (ForebayException unanswered) {
            return found;
        }
        return found;
    }

    private Optional<Problem> of(VersionStatus status, Residency residency) {
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

    private Optional<Problem> of(String child, String whoWorks) {
        List<PendingActivityInfo> pending;
        try {
            pending = temporal.call(patience, () -> workflows.pendingActivities(child));
        } catch (NoSuchRunException notBegun) {
            return Optional.empty();
        }
        return pending.stream().flatMap(activity -> of(activity, whoWorks).stream()).findFirst();
    }

    private Optional<Problem> of(PendingActivityInfo activity, String whoWorks) {
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
                                            begun ? "is under way" : "follows")));
        }
        Duration waited = Duration.between(scheduled(activity), Instant.now());
        if (begun || waited.compareTo(UNTIL_TAKEN) < 0) {
            return Optional.empty();
        }
        return Optional.of(
                new Problem(
                        ErrorCode.UNAVAILABLE,
                        "no %s has taken up '%s' for %d s: none is up, or all are busy"
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
