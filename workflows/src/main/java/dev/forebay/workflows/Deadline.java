package dev.forebay.workflows;

import io.temporal.workflow.CancellationScope;
import io.temporal.workflow.CompletablePromise;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * When a caller stops waiting: at its own deadline, or when its request has failed elsewhere or was
 * cancelled. Without a deadline it adds no event to the history.
 */
final class Deadline {

    private final CompletablePromise<Void> time = Workflow.newPromise();
    private final @Nullable CancellationScope scope;
    private boolean pointless;
    private boolean takenBack;

    Deadline(@Nullable Duration patience) {
        scope =
                patience == null
                        ? null
                        : Workflow.newCancellationScope(
                                () -> time.completeFrom(Workflow.newTimer(patience)));
        if (scope != null) {
            scope.run();
        }
    }

    /** Returns whether the caller has a deadline. */
    boolean isSet() {
        return scope != null;
    }

    /** Returns whether the deadline has passed. */
    boolean hasCome() {
        return time.isCompleted();
    }

    /** Returns whether the caller waits no more, for any reason. */
    boolean isOver() {
        return pointless || hasCome();
    }

    /** Ends the wait, because the request has failed elsewhere. */
    void giveUp() {
        pointless = true;
    }

    /** Ends the wait, because the client has cancelled the request. */
    void takeBack() {
        takenBack = true;
        pointless = true;
    }

    boolean isTakenBack() {
        return takenBack;
    }

    /** Cancels the timer, because the caller has its answer. */
    void lift() {
        if (scope != null && !hasCome()) {
            scope.cancel("answered");
        }
    }

    /** Pauses, but not beyond the deadline. */
    void pause(Duration pause) {
        if (isSet()) {
            Deadlines.await(pause, this::isOver);
        } else {
            Workflow.sleep(pause);
        }
    }

    /**
     * Waits until {@code condition} holds or the wait is over. Returns whether the condition holds.
     */
    boolean await(BooleanSupplier condition) {
        Workflow.await(() -> condition.getAsBoolean() || isOver());
        return condition.getAsBoolean();
    }
}
