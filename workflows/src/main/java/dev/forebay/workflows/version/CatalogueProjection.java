package dev.forebay.workflows.version;

import dev.forebay.model.ErrorCode;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.Revision;
import dev.forebay.workflows.message.HistoryEntry;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.VersionStatus;
import dev.forebay.workflows.state.VersionState;
import dev.forebay.workflows.support.ActivityStubs;
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
 * Sends the status of a version to the catalogue: one at a time, in order, always the latest. An
 * unavailable catalogue delays no other work.
 *
 * <p>An attempt that has timed out may still arrive after later ones. Each status therefore has a
 * {@link Revision}, by which the catalogue recognises an old one.
 */
final class CatalogueProjection {

    private static final Logger LOG = Workflow.getLogger(CatalogueProjection.class);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(30);

    private final VersionState state;
    private @Nullable VersionStatus reported;
    private boolean reporting;

    CatalogueProjection(VersionState state) {
        this.state = state;
    }

    /**
     * Returns whether no activity is in progress whose late effect could overwrite the next run's.
     */
    boolean isIdle() {
        return !reporting;
    }

    /** Returns whether the catalogue has the present status. */
    boolean isUpToDate() {
        return state.status().equals(reported);
    }

    /**
     * Starts to send changes of the status, the first one in any case.
     *
     * @param leaving whether the run is about to end: nothing more is sent, because the next run
     *     does it
     */
    void start(BooleanSupplier leaving) {
        var _ =
                Async.procedure(
                        () -> {
                            while (true) {
                                Workflow.await(() -> !isUpToDate() && !leaving.getAsBoolean());
                                report(state.status());
                            }
                        });
    }

    private void report(VersionStatus status) {
        reporting = true;
        List<HistoryEntry> news = state.history().unreported();
        try {
            ActivityStubs.project(state.version()).project(status, revision(), news);
            reported = status;
            state.history().reported(news);
        } catch (ActivityFailure failure) {
            Problem problem = Failures.problem(failure);
            LOG.warn(
                    "Cannot write the status of {} to the catalogue, which shows an older one: {}",
                    state.version(),
                    problem);
            if (problem.code() == ErrorCode.INVALID_ARGUMENT) {
                // The catalogue can never store this status. It may store the next one.
                reported = status;
                state.history().reported(news);
            }
        }
        reporting = false;
        if (!status.equals(reported)) {
            Workflow.sleep(PAUSE_AFTER_FAILURE);
        }
    }

    private static long revision() {
        WorkflowInfo info = Workflow.getInfo();
        return new Revision(info.getRunStartedTimestampMillis(), info.getHistoryLength()).number();
    }
}
