package dev.forebay.workflows.support;

import dev.forebay.model.ErrorCode;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.state.Timeouts;
import io.temporal.client.WorkflowExecutionAlreadyStarted;
import io.temporal.failure.TemporalFailure;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for a child workflow that an earlier run has left. If an operator ends a version's
 * workflow, Temporal asks its children to end, and no other child with the same id can start before
 * that.
 */
public final class EarlierChild {

    private static final int CHECKS = 360;

    /** Most children end at once. A child that stops a fill may take a minute. */
    private static final int QUICK_CHECKS = 5;

    private static final Duration QUICK_PAUSE = Duration.ofSeconds(1);
    private static final Duration PAUSE = Duration.ofSeconds(10);

    private EarlierChild() {}

    /**
     * Runs a child workflow, after an earlier one with the same id has ended.
     *
     * @param id of the child
     * @param child starts it with a new stub, and returns its result
     * @param isInterrupted whether the result is no longer wanted
     * @return empty if interrupted
     * @throws TemporalFailure of the child; {@code UNAVAILABLE} if the earlier one has not ended
     *     after an hour
     */
    public static <T> Optional<T> run(String id, Supplier<T> child, BooleanSupplier isInterrupted) {
        for (int check = 0; check < CHECKS; check++) {
            try {
                return Optional.of(child.get());
            } catch (TemporalFailure failure) {
                if (!(failure.getCause() instanceof WorkflowExecutionAlreadyStarted)) {
                    throw failure;
                }
            }
            if (Timeouts.await(check < QUICK_CHECKS ? QUICK_PAUSE : PAUSE, isInterrupted)) {
                return Optional.empty();
            }
        }
        throw Failures.refusal(
                ErrorCode.UNAVAILABLE,
                "workflow %s of an earlier run does not end: end it with 'temporal workflow terminate --namespace %s --workflow-id %s'"
                        .formatted(id, Workflow.getInfo().getNamespace(), id));
    }
}
