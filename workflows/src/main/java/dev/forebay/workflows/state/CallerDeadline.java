package dev.forebay.workflows.state;

import io.temporal.workflow.CancellationScope;
import io.temporal.workflow.CompletablePromise;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends the wait of a caller: at its own deadline, or when its request has failed in another region
 * or was cancelled. Without a deadline it adds no event to the history.
 */
public final class CallerDeadline {

    private final CompletablePromise<Void> time = Workflow.newPromise();
    private final @Nullable CancellationScope scope;
    private boolean ended;
    private boolean cancelled;

    public CallerDeadline(@Nullable Duration timeout) {
        scope =
                timeout == null
                        ? null
                        : Workflow.newCancellationScope(
                                () -> time.completeFrom(Workflow.newTimer(timeout)));
        if (scope != null) {
            scope.run();
        }
    }

    /** Returns whether the caller has a deadline. */
    public boolean isSet() {
        return scope != null;
    }

    /** Returns whether the deadline has passed. */
    public boolean hasCome() {
        return time.isCompleted();
    }

    /** Returns whether the wait has ended, for any reason. */
    public boolean isOver() {
        return ended || hasCome();
    }

    /** Ends the wait, because the request has failed in another region. */
    public void giveUp() {
        ended = true;
    }

    /** Ends the wait, because the client has cancelled the request. */
    public void cancel() {
        cancelled = true;
        ended = true;
    }

    public boolean isTakenBack() {
        return cancelled;
    }

    /** Cancels the timer, because the caller has its answer. */
    public void lift() {
        if (scope != null && !hasCome()) {
            scope.cancel("answered");
        }
    }

    /** Pauses, but not beyond the deadline. */
    public void pause(Duration pause) {
        if (isSet()) {
            Timeouts.await(pause, this::isOver);
        } else {
            Workflow.sleep(pause);
        }
    }

    /**
     * Waits until {@code condition} holds or the wait is over. Returns whether the condition holds.
     */
    public boolean await(BooleanSupplier condition) {
        Workflow.await(() -> condition.getAsBoolean() || isOver());
        return condition.getAsBoolean();
    }
}
