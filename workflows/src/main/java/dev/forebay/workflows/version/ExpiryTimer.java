package dev.forebay.workflows.version;

import dev.forebay.workflows.state.VersionState;
import io.temporal.workflow.CancellationScope;
import io.temporal.workflow.CompletablePromise;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A timer for an instant that rarely changes. Setting it to the same instant adds no event to the
 * history.
 */
final class ExpiryTimer {

    private Optional<Instant> at = Optional.empty();
    private CompletablePromise<Void> timer = Workflow.newPromise();
    private @Nullable CancellationScope scope;

    /** Sets the alarm to an instant, or switches it off if empty. */
    void set(Optional<Instant> instant) {
        if (instant.equals(at)) {
            return;
        }
        at = instant;
        if (scope != null) {
            scope.cancel("the alarm was set to another time");
            scope = null;
        }
        CompletablePromise<Void> next = Workflow.newPromise();
        timer = next;
        if (instant.isPresent()) {
            Duration left = Duration.between(VersionState.now(), instant.get());
            CancellationScope setting =
                    Workflow.newCancellationScope(() -> next.completeFrom(Workflow.newTimer(left)));
            setting.run();
            scope = setting;
        }
    }

    /** Returns whether the instant has passed. */
    boolean rings() {
        return timer.isCompleted();
    }
}
