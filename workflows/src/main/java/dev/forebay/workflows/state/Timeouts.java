package dev.forebay.workflows.state;

import io.temporal.workflow.CancellationScope;
import io.temporal.workflow.CompletablePromise;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;

/**
 * Waits with a timeout. The SDK's {@link Workflow#await(Duration, java.util.function.Supplier)}
 * keeps its timer when the condition comes true. These methods cancel it, so that no old timer
 * wakes the workflow later.
 */
public final class Timeouts {

    private Timeouts() {}

    /** Waits until {@code condition} holds, at most {@code timeout}. Returns whether it holds. */
    public static boolean await(Duration timeout, BooleanSupplier condition) {
        if (condition.getAsBoolean()) {
            return true;
        }
        if (!timeout.isPositive()) {
            return false;
        }
        CompletablePromise<Void> timer = Workflow.newPromise();
        CancellationScope scope =
                Workflow.newCancellationScope(() -> timer.completeFrom(Workflow.newTimer(timeout)));
        scope.run();
        Workflow.await(() -> timer.isCompleted() || condition.getAsBoolean());
        if (timer.isCompleted()) {
            return condition.getAsBoolean();
        }
        scope.cancel("no longer needed");
        return true;
    }

    /**
     * Waits until {@code condition} holds, at most until {@code deadline}. Returns whether it
     * holds.
     */
    public static boolean awaitUntil(Instant deadline, BooleanSupplier condition) {
        return await(Duration.between(VersionState.now(), deadline), condition);
    }
}
