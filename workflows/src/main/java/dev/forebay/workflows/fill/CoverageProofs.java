package dev.forebay.workflows.fill;

import dev.forebay.lifecycle.VersionEvent.Lost;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.activity.RegionActivities.Coverage;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.state.CallerDeadline;
import dev.forebay.workflows.state.VersionState;
import dev.forebay.workflows.support.ActivityStubs;
import io.temporal.failure.ActivityFailure;
import io.temporal.failure.TemporalFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;

/**
 * Proves that a CACHED region still holds the whole version, by asking its workers again. It asks
 * one question at a time per region, and its answer serves all callers that wait for it.
 *
 * <p>A region that lacks a part, or has lost the mount, is filled again.
 */
public final class CoverageProofs {

    /**
     * The maximum age of a confirmation, so that many callers share one question to the workers.
     */
    public static final Duration LONGEST_AGE = Duration.ofSeconds(10);

    private static final Logger LOG = Workflow.getLogger(CoverageProofs.class);

    private final VersionState state;
    private final Fills fills;
    private final Map<RegionName, Promise<Void>> running = new LinkedHashMap<>();
    private final Map<RegionName, Instant> proven = new LinkedHashMap<>();

    public CoverageProofs(VersionState state, Fills fills) {
        this.state = state;
        this.fills = fills;
    }

    /**
     * Returns whether the region is CACHED, as proven by a question asked at {@code since} or
     * later. False if it is being filled again or evicted, or if {@code deadline} came first.
     *
     * @throws io.temporal.failure.ApplicationFailure why the region could not be asked
     */
    public boolean isComplete(RegionName region, Instant since, CallerDeadline deadline) {
        while (state.state(region) == State.CACHED) {
            if (!provenAt(state.residency(region)).isBefore(since)) {
                return true;
            }
            Promise<Void> answer = running.computeIfAbsent(region, this::begin);
            if (!deadline.await(answer::isCompleted)) {
                return false;
            }
            answer.get();
        }
        return false;
    }

    /** Asks a region that is CACHED now, even if no caller waits. */
    public void renew(RegionName region) {
        if (state.state(region) != State.CACHED) {
            return;
        }
        try {
            running.computeIfAbsent(region, this::begin).get();
        } catch (TemporalFailure unanswered) {
            // The next request for a receipt asks again, and so does the agent.
            LOG.warn(
                    "Cannot check whether {} is complete in {}; the next request asks again: {}",
                    state.version(),
                    region,
                    unanswered.getMessage());
        }
    }

    private Instant provenAt(Residency residency) {
        Instant filled = residency.cachedAt() == null ? Instant.EPOCH : residency.cachedAt();
        Instant shown = proven.getOrDefault(residency.region(), Instant.EPOCH);
        return shown.isAfter(filled) ? shown : filled;
    }

    private Promise<Void> begin(RegionName region) {
        Instant asked = VersionState.now();
        return Async.procedure(
                () -> {
                    try {
                        prove(region, asked);
                    } finally {
                        running.remove(region);
                    }
                });
    }

    private void prove(RegionName region, Instant asked) {
        boolean complete = isHeld(region);
        if (state.state(region) != State.CACHED) {
            return; // an eviction began while the workers were asked
        }
        if (complete) {
            proven.put(region, asked);
        } else {
            state.apply(new Lost(region));
            fills.of(region);
        }
    }

    private boolean isHeld(RegionName region) {
        ManifestRef manifest = state.status().manifest();
        if (manifest == null) {
            throw Failures.refusal(
                    ErrorCode.INTERNAL, "CACHED in %s without a manifest".formatted(region));
        }
        try {
            Coverage coverage =
                    ActivityStubs.prove(state.version(), region).confirm(state.version(), manifest);
            return coverage.complete();
        } catch (ActivityFailure failure) {
            Problem problem = Failures.problem(failure);
            return switch (problem.code()) {
                // The mount is gone from the region's etcd, or is about to go.
                case NOT_FOUND, EVICTING -> false;
                default -> throw Failures.refusal(problem);
            };
        }
    }
}
