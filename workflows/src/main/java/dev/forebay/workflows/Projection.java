package dev.forebay.workflows;

import dev.forebay.model.ErrorCode;
import dev.forebay.workflows.message.Happening;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.failure.ActivityFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.Workflow;
import io.temporal.workflow.WorkflowInfo;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Keeps the catalogue up to date: one status at a time, in order, the latest each time. A catalogue
 * that is away holds up nothing else.
 *
 * <p>An attempt that is taken for dead may still arrive after later ones. So every status has a
 * {@link Revision}, by which the catalogue knows an old one.
 */
final class Projection {

    private static final Logger LOG = Workflow.getLogger(Projection.class);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(30);

    private final VersionState state;
    private @Nullable VersionStatus told;
    private boolean telling;

    Projection(VersionState state) {
        this.state = state;
    }

    /** Whether no activity is under way whose late effect could overwrite the next run's. */
    boolean isIdle() {
        return !telling;
    }

    /** Whether the catalogue has the status of this moment. */
    boolean isUpToDate() {
        return state.status().equals(told);
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
                                Workflow.await(() -> !isUpToDate() && !leaving.getAsBoolean());
                                tell(state.status());
                            }
                        });
    }

    private void tell(VersionStatus status) {
        telling = true;
        List<Happening> news = state.chronicle().untold();
        try {
            Steps.project(state.version()).project(status, revision(), news);
            told = status;
            state.chronicle().told(news);
        } catch (ActivityFailure failure) {
            Problem problem = Failures.problem(failure);
            LOG.warn("the catalogue is behind: {}", problem);
            if (problem.code() == ErrorCode.INVALID_ARGUMENT) {
                // It will never take this one; it may take the next.
                told = status;
                state.chronicle().told(news);
            }
        }
        telling = false;
        if (!status.equals(told)) {
            Workflow.sleep(PAUSE_AFTER_FAILURE);
        }
    }

    private static long revision() {
        WorkflowInfo info = Workflow.getInfo();
        return new Revision(info.getRunStartedTimestampMillis(), info.getHistoryLength()).number();
    }
}
