package dev.forebay.workflows;

import dev.forebay.model.ErrorCode;
import dev.forebay.workflows.activity.RoomActivities.Made;
import dev.forebay.workflows.message.Claim;
import dev.forebay.workflows.message.PrewarmInput;
import dev.forebay.workflows.message.Urgency;
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
 * A version's way into a region: the region is asked again and again until there is room, and what
 * is worth less is evicted now and then, and whenever the region says that it would help. The
 * version has its place in the region's queue before that, and keeps it, or who comes later would
 * take the room. Why it waits is the failure of the last attempt.
 */
final class Entry {

    /**
     * Then somebody has to decide. In a day there are fewer than 4,000 events; 18,000 if all the
     * time room could be made and is not.
     */
    private static final Duration LONGEST_WAIT = Duration.ofHours(24);

    /** As long as anything else is tried before a filling begins. */
    private static final Duration LONGEST_TROUBLE = Duration.ofHours(1);

    /** A region forgets the place of who has not asked for two minutes. */
    private static final Duration PLACE_IS_KEPT = Duration.ofMinutes(1);

    private static final Duration FIRST_PATIENCE = Duration.ofSeconds(30);
    private static final Duration LONGEST_PATIENCE = Duration.ofMinutes(5);

    private final PrewarmInput input;
    private final Urgency urgency;
    private final Promise<Void> sources;
    private final Instant begun = VersionState.now();
    // When the region last said that there is no room: until then all was well.
    private Instant heard = begun;

    /**
     * @param sources done when the region knows whom to ask for the version's bytes, which it must
     *     before the version is mounted
     */
    Entry(PrewarmInput input, Urgency urgency, Promise<Void> sources) {
        this.input = input;
        this.urgency = urgency;
        this.sources = sources;
    }

    /**
     * Returns where the version is mounted, once it is; from then on the room is its own.
     *
     * @throws ActivityFailure with CAPACITY_EXCEEDED if there was no room in a day, with TOO_LARGE
     *     at once if there can be none, or with what else does not pass within an hour
     */
    String await() {
        if (Changes.placesAreKept()) {
            Optional<String> path = ask();
            if (path.isPresent()) {
                return path.get();
            }
        }
        Duration patience = FIRST_PATIENCE;
        while (true) {
            try {
                return attempt(patience);
            } catch (ActivityFailure failure) {
                requireWorthWaiting(failure);
            }
            patience = patience.multipliedBy(2);
            patience = patience.compareTo(LONGEST_PATIENCE) < 0 ? patience : LONGEST_PATIENCE;
        }
    }

    /** Until the region says; if it has no room, empty: then there is a place in its queue. */
    private Optional<String> ask() {
        Long quota = Steps.quota(input.version()).quota(input.version(), input.region());
        sources.get();
        try {
            return Optional.of(
                    Steps.admitAtOnce(input.version(), input.region(), urgency)
                            .admit(
                                    input.version(),
                                    input.manifest(),
                                    new Claim(urgency, quota, begun)));
        } catch (ActivityFailure failure) {
            if (Failures.problem(failure).code() == ErrorCode.CAPACITY_EXCEEDED) {
                heard = VersionState.now();
                return Optional.empty();
            }
            throw failure;
        }
    }

    /** They were asked for as long as is worth it. */
    private boolean haveSourcesFailed() {
        return sources.isCompleted() && sources.getFailure() != null;
    }

    private String attempt(Duration patience) {
        CompletablePromise<Made> made = Workflow.newPromise();
        CancellationScope making =
                Workflow.newCancellationScope(() -> made.completeFrom(makeRoom()));
        making.run();
        if (Changes.placesAreKept()) {
            Optional<String> path = meanwhile(made, making);
            if (path.isPresent()) {
                return path.get();
            }
        }
        Long quota = made.get().quotaBytes();
        sources.get();
        return Steps.admit(input.version(), input.region(), urgency, patience)
                .admit(input.version(), input.manifest(), new Claim(urgency, quota, begun));
    }

    /** Asks on until room is made; not empty if there is some before, and no more is made then. */
    private Optional<String> meanwhile(Promise<Made> made, CancellationScope making) {
        try {
            while (!Workflow.await(PLACE_IS_KEPT, made::isCompleted)) {
                Optional<String> path = ask();
                if (path.isPresent()) {
                    making.cancel("there is room");
                    return path;
                }
            }
            return Optional.empty();
        } catch (ActivityFailure unanswered) {
            making.cancel("the region does not answer");
            throw unanswered;
        }
    }

    private Promise<Made> makeRoom() {
        return Async.function(
                Steps.makeRoom(input.version(), input.region(), urgency)::makeRoom,
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
            heard = Changes.placesAreKept() ? now : heard;
            return Duration.between(begun, now).compareTo(LONGEST_WAIT) < 0;
        }
        return Duration.between(heard, now).compareTo(LONGEST_TROUBLE) < 0;
    }
}
