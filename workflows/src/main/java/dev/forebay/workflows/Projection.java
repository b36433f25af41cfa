package dev.forebay.workflows;

import dev.forebay.workflows.message.VersionStatus;
import io.temporal.failure.ActivityFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Keeps the catalogue up to date: one status at a time, in order, the latest each time. A catalogue
 * that is away holds up nothing else.
 */
final class Projection {

    private static final Logger LOG = Workflow.getLogger(Projection.class);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(30);

    private final VersionState state;
    private @Nullable VersionStatus projected;
    private boolean telling;

    Projection(VersionState state) {
        this.state = state;
    }

    /** Whether no activity is under way whose late effect could overwrite the next run's. */
    boolean isIdle() {
        return !telling;
    }

    /**
     * Begins; tells the first status in any case.
     *
     * @param leaving when true nothing more is told: the next run will
     */
    void start(BooleanSupplier leaving) {
        var _ =
                Async.procedure(
                        () -> {
                            while (true) {
                                Workflow.await(
                                        () ->
                                                !state.status().equals(projected)
                                                        && !leaving.getAsBoolean());
                                tell(state.status());
                            }
                        });
    }

    private void tell(VersionStatus status) {
        telling = true;
        try {
            Steps.project(state.version()).project(status);
            projected = status;
        } catch (ActivityFailure failure) {
            LOG.warn("the catalogue is behind: {}", Failures.problem(failure));
        }
        telling = false;
        if (!status.equals(projected)) {
            Workflow.sleep(PAUSE_AFTER_FAILURE);
        }
    }
}
