package dev.forebay.workflows;

import io.temporal.workflow.CancellationScope;
import io.temporal.workflow.CompletablePromise;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Until when a caller waits: until a time of his own, or until there is nothing to wait for any
 * more, because his request has failed elsewhere. Without a time it costs no event.
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

    /** Whether there is a time. */
    boolean isSet() {
        return scope != null;
    }

    /** Whether the time has come. */
    boolean hasCome() {
        return time.isCompleted();
    }

    /** Whether nobody waits any more, for whatever reason. */
    boolean isOver() {
        return pointless || hasCome();
    }

    /** There is nothing to wait for any more. */
    void giveUp() {
        pointless = true;
    }

    /** The caller does not want it any more. */
    void takeBack() {
        takenBack = true;
        pointless = true;
    }

    boolean isTakenBack() {
        return takenBack;
    }

    /** The caller is answered: the timer is not needed any more. */
    void lift() {
        if (scope != null && !hasCome()) {
            scope.cancel("answered");
        }
    }

    /** Pauses, no longer than until the time has come. */
    void pause(Duration pause) {
        if (isSet()) {
            Deadlines.await(pause, this::isOver);
        } else {
            Workflow.sleep(pause);
        }
    }

    /** Waits until {@code condition} holds or nobody waits any more; returns whether it holds. */
    boolean await(BooleanSupplier condition) {
        Workflow.await(() -> condition.getAsBoolean() || isOver());
        return condition.getAsBoolean();
    }
}
