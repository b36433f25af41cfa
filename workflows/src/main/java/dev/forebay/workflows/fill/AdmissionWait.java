package dev.forebay.workflows.fill;

import dev.forebay.model.Backoff;
import dev.forebay.model.ErrorCode;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.activity.SpaceActivities.FreedSpace;
import dev.forebay.workflows.input.PrewarmInput;
import dev.forebay.workflows.message.SpaceClaim;
import dev.forebay.workflows.message.Urgency;
import dev.forebay.workflows.state.VersionState;
import dev.forebay.workflows.support.ActivityStubs;
import io.temporal.failure.ActivityFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.CancellationScope;
import io.temporal.workflow.CompletablePromise;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Waits for a version's admission to a region. It repeats the request until the region admits the
 * version. Meanwhile it evicts versions of less value, at growing intervals and whenever the region
 * reports that evictions would help. The version takes its place in the region's queue first and
 * keeps it, because later versions would otherwise take the freed space. The failure of the last
 * attempt shows why it waits.
 */
public final class AdmissionWait {

    /**
     * After this time an operator has to decide. A day of waiting adds fewer than 4,000 events to
     * the history, or 18,000 if evictions could always free enough space and never do.
     */
    private static final Duration LONGEST_WAIT = Duration.ofHours(24);

    /**
     * The time after which failures of the region end the wait, as for all other steps before a
     * fill.
     */
    private static final Duration LONGEST_OUTAGE = Duration.ofHours(1);

    /**
     * The interval of requests that keep the place in the queue, which expires after two minutes.
     */
    private static final Duration ASK_INTERVAL = Duration.ofMinutes(1);

    /** The growing timeouts of requests that wait for space. */
    private static final Backoff TIMEOUTS =
            new Backoff(Duration.ofSeconds(30), Duration.ofMinutes(5));

    private final PrewarmInput input;
    private final Urgency urgency;
    private final Promise<Void> sources;
    private final Instant begun = VersionState.now();
    // When the region last answered that it has no space. It was healthy until then.
    private Instant lastAnswer = begun;

    /**
     * @param sources completes when the region knows where to read the version's bytes; it must
     *     know before the version is mounted
     */
    AdmissionWait(PrewarmInput input, Urgency urgency, Promise<Void> sources) {
        this.input = input;
        this.urgency = urgency;
        this.sources = sources;
    }

    /**
     * Returns where the version is mounted, once the region has admitted it. From then on the
     * version holds its space.
     *
     * @throws ActivityFailure with CAPACITY_EXCEEDED if there was no space within a day; with
     *     TOO_LARGE at once if the version can never fit; with any other error that lasts for an
     *     hour
     */
    String await() {
        Optional<String> path = ask();
        if (path.isPresent()) {
            return path.get();
        }
        for (int attempt = 1; ; attempt++) {
            try {
                return attempt(TIMEOUTS.after(attempt));
            } catch (ActivityFailure failure) {
                requireWorthWaiting(failure);
            }
        }
    }

    /**
     * Asks the region until it answers. Returns empty if it has no space; the version then has a
     * place in the region's queue.
     */
    private Optional<String> ask() {
        Long quota = ActivityStubs.quota(input.version()).quota(input.version(), input.region());
        sources.get();
        try {
            return Optional.of(
                    ActivityStubs.admitAtOnce(input.version(), input.region(), urgency)
                            .admit(
                                    input.version(),
                                    input.manifest(),
                                    new SpaceClaim(urgency, quota, begun)));
        } catch (ActivityFailure failure) {
            if (Failures.problem(failure).code() == ErrorCode.CAPACITY_EXCEEDED) {
                lastAnswer = VersionState.now();
                return Optional.empty();
            }
            throw failure;
        }
    }

    /** Returns whether choosing the sources has failed. Its activity has retried long enough. */
    private boolean haveSourcesFailed() {
        return sources.isCompleted() && sources.getFailure() != null;
    }

    private String attempt(Duration timeout) {
        CompletablePromise<FreedSpace> freed = Workflow.newPromise();
        CancellationScope freeing =
                Workflow.newCancellationScope(() -> freed.completeFrom(freeSpace()));
        freeing.run();
        Optional<String> path = meanwhile(freed, freeing);
        if (path.isPresent()) {
            return path.get();
        }
        Long quota = freed.get().quotaBytes();
        sources.get();
        return ActivityStubs.admit(input.version(), input.region(), urgency, timeout)
                .admit(input.version(), input.manifest(), new SpaceClaim(urgency, quota, begun));
    }

    /**
     * Asks the region for admission while space is freed, until {@code freed} completes. Returns
     * the path if the region admits the version earlier, and stops freeing space then.
     */
    private Optional<String> meanwhile(Promise<FreedSpace> freed, CancellationScope freeing) {
        try {
            while (!Workflow.await(ASK_INTERVAL, freed::isCompleted)) {
                Optional<String> path = ask();
                if (path.isPresent()) {
                    freeing.cancel("there is space");
                    return path;
                }
            }
            return Optional.empty();
        } catch (ActivityFailure unanswered) {
            freeing.cancel("the region does not answer");
            throw unanswered;
        }
    }

    private Promise<FreedSpace> freeSpace() {
        return Async.function(
                ActivityStubs.freeSpace(input.version(), input.region(), urgency)::freeSpace,
                input.version(),
                input.manifest(),
                input.region(),
                urgency);
    }

    private void requireWorthWaiting(ActivityFailure failure) {
        if (haveSourcesFailed() || !isWorthWaiting(failure)) {
            throw failure;
        }
    }

    private boolean isWorthWaiting(ActivityFailure failure) {
        ErrorCode code = Failures.problem(failure).code();
        return code.retryable()
                && (!Failures.isRefusal(failure) || code == ErrorCode.CAPACITY_EXCEEDED)
                && !Failures.isCancellation(failure)
                && isInTime(code);
    }

    private boolean isInTime(ErrorCode code) {
        Instant now = VersionState.now();
        if (code == ErrorCode.CAPACITY_EXCEEDED) {
            lastAnswer = now;
            return Duration.between(begun, now).compareTo(LONGEST_WAIT) < 0;
        }
        return Duration.between(lastAnswer, now).compareTo(LONGEST_OUTAGE) < 0;
    }
}
