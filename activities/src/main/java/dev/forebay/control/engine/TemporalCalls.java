package dev.forebay.control.engine;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.service.ServiceConfig;
import dev.forebay.workflows.Failures;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.temporal.client.WorkflowNotFoundException;
import io.temporal.client.WorkflowUpdateTimeoutOrCancelledException;
import io.temporal.failure.ApplicationFailure;
import io.temporal.failure.TemporalFailure;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Calls Temporal with a limit of our own, for its client tries again for a minute, and tells its
 * failures apart. Safe for use by many threads.
 */
@Singleton
class TemporalCalls {

    private static final String ENDED_MEANWHILE = "AcceptedUpdateCompletedWorkflow";

    private final ServiceConfig.Temporal config;

    TemporalCalls(ServiceConfig config) {
        this.config = config.temporal();
    }

    /** As {@link #call(Duration, Callable)}, within the time of an API request. */
    <T extends @Nullable Object> T call(Callable<T> call) {
        return call(config.requestTimeout(), call);
    }

    /**
     * Calls Temporal.
     *
     * @throws NoSuchRunException if the workflow, its run or its update is not there (any more)
     * @throws ForebayException with what the workflow says, or {@code UNAVAILABLE} if Temporal does
     *     not answer in time
     */
    <T extends @Nullable Object> T call(Duration limit, Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread.ofVirtual().name("temporal-call").start(task);
        try {
            return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw translated(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            throw unavailable("within %d ms".formatted(limit.toMillis()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("before this process stopped", e);
        } finally {
            task.cancel(true);
        }
    }

    /** What {@link #call} throws for a failure of Temporal's client. */
    RuntimeException translated(Throwable failure) {
        if (failure instanceof ForebayException exception) {
            return exception;
        }
        if (isOfEndedWorkflow(failure)) {
            return new NoSuchRunException(failure);
        }
        Optional<Status.Code> status = status(failure);
        boolean saidByWorkflow = hasCause(failure, TemporalFailure.class);
        if (!saidByWorkflow
                && (hasCause(failure, WorkflowNotFoundException.class)
                        || status.filter(Status.Code.NOT_FOUND::equals).isPresent())) {
            return new NoSuchRunException(failure);
        }
        if (!saidByWorkflow
                && (status.isPresent()
                        || hasCause(failure, WorkflowUpdateTimeoutOrCancelledException.class))) {
            return unavailable(
                    "(%s)".formatted(status.map(Status.Code::name).orElse("no poller answered")),
                    failure);
        }
        return Failures.exception(failure);
    }

    private ForebayException unavailable(String how, Throwable cause) {
        return new ForebayException(
                ErrorCode.UNAVAILABLE,
                "Temporal at %s did not answer %s; the request may be sent again"
                        .formatted(config.target(), how),
                cause);
    }

    private static Optional<Status.Code> status(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof StatusRuntimeException status) {
                return Optional.of(status.getStatus().getCode());
            }
        }
        return Optional.empty();
    }

    /** What Temporal makes of updates that were under way when their workflow was ended. */
    private static boolean isOfEndedWorkflow(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof ApplicationFailure application
                    && application.getType().equals(ENDED_MEANWHILE)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a workflow has said so; else Temporal did not answer. */
    static boolean isSaidByWorkflow(ForebayException translated) {
        return hasCause(translated, TemporalFailure.class);
    }

    private static boolean hasCause(Throwable failure, Class<? extends Throwable> type) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (type.isInstance(at)) {
                return true;
            }
        }
        return false;
    }

    /** The workflow, its run or its update is not there: never started, or over. */
    static final class NoSuchRunException extends RuntimeException {

        NoSuchRunException(Throwable cause) {
            super(cause);
        }
    }
}
