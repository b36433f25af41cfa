package dev.forebay.control.temporal;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.service.ServiceConfig;
import dev.forebay.workflows.Failures;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.temporal.api.errordetails.v1.NamespaceNotFoundFailure;
import io.temporal.client.WorkflowNotFoundException;
import io.temporal.client.WorkflowUpdateTimeoutOrCancelledException;
import io.temporal.failure.ApplicationFailure;
import io.temporal.failure.TemporalFailure;
import io.temporal.serviceclient.StatusUtils;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Calls Temporal with its own time limit, because Temporal's client retries for a minute.
 * Translates the client's failures. Thread-safe.
 */
@Singleton
public class TemporalCalls {

    /** The message of a gRPC server for a request that is too large to decode. */
    private static final String TOO_LARGE = "received message larger than max";

    private static final String ENDED_MEANWHILE = "AcceptedUpdateCompletedWorkflow";

    private final ServiceConfig.Temporal config;

    TemporalCalls(ServiceConfig config) {
        this.config = config.temporal();
    }

    /** As {@link #call(Duration, Callable)}, within the timeout of an API request. */
    public <T extends @Nullable Object> T call(Callable<T> call) {
        return call(config.requestTimeout(), call);
    }

    /**
     * Calls Temporal.
     *
     * @throws NoSuchRunException if the workflow, its run or its update does not exist, or no
     *     longer
     * @throws ForebayException the workflow's failure; {@code UNAVAILABLE} if Temporal does not
     *     answer in time; or Temporal's refusal
     */
    public <T extends @Nullable Object> T call(Duration limit, Callable<T> call) {
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

    /** Returns the exception that {@link #call} throws for a failure of Temporal's client. */
    RuntimeException translated(Throwable failure) {
        if (failure instanceof ForebayException exception) {
            return exception;
        }
        if (isOfEndedWorkflow(failure)) {
            return new NoSuchRunException(failure);
        }
        Optional<StatusRuntimeException> status = status(failure);
        boolean saidByWorkflow = hasCause(failure, TemporalFailure.class);
        if (saidByWorkflow) {
            return Failures.exception(failure);
        }
        if (status.isPresent()) {
            return ofStatus(status.get(), failure);
        }
        if (hasCause(failure, WorkflowNotFoundException.class)) {
            return new NoSuchRunException(failure);
        }
        return hasCause(failure, WorkflowUpdateTimeoutOrCancelledException.class)
                ? unavailable("(no poller answered)", failure)
                : Failures.exception(failure);
    }

    /** Implements the table "What Temporal answers" in {@code docs/failures.md}. */
    private RuntimeException ofStatus(StatusRuntimeException answer, Throwable failure) {
        Status status = answer.getStatus();
        String said = said(status);
        return switch (status.getCode()) {
            case NOT_FOUND ->
                    StatusUtils.hasFailure(answer, NamespaceNotFoundFailure.class)
                            ? unavailable(
                                    "because it does not have namespace %s (forebay.temporal.namespace)"
                                            .formatted(config.namespace()),
                                    failure)
                            : new NoSuchRunException(failure);
            case PERMISSION_DENIED, UNAUTHENTICATED ->
                    new ForebayException(
                            ErrorCode.DENIED,
                            "Temporal at %s refuses this control plane (%s): give the identity of forebay.temporal.tls.certificate access to namespace %s"
                                    .formatted(config.target(), said, config.namespace()),
                            failure);
            case INVALID_ARGUMENT, UNIMPLEMENTED -> refused(said, failure);
            case RESOURCE_EXHAUSTED ->
                    said.contains(TOO_LARGE)
                            ? refused(said, failure)
                            : unavailable("(%s)".formatted(said), failure);
            case OUT_OF_RANGE,
                    UNAVAILABLE,
                    DEADLINE_EXCEEDED,
                    CANCELLED,
                    ABORTED,
                    ALREADY_EXISTS,
                    FAILED_PRECONDITION,
                    DATA_LOSS,
                    INTERNAL,
                    UNKNOWN,
                    OK ->
                    unavailable("(%s)".formatted(said), failure);
        };
    }

    /** Returns a failure that is never retried: Temporal refuses the same request each time. */
    private ForebayException refused(String said, Throwable failure) {
        return ForebayException.givenUp(
                ErrorCode.INTERNAL,
                "Temporal at %s refuses a request (%s): it must be 1.29 or later, and know Forebay's search attributes"
                        .formatted(config.target(), said),
                failure);
    }

    /**
     * Returns the status with its root cause, because gRPC reports a failed handshake as an I/O
     * exception.
     */
    private static String said(Status status) {
        Throwable root = status.getCause();
        while (root != null && root.getCause() != null) {
            root = root.getCause();
        }
        return Stream.of(
                        Optional.of(status.getCode().name()),
                        Optional.ofNullable(status.getDescription()),
                        Optional.ofNullable(root).map(Throwable::toString))
                .flatMap(Optional::stream)
                .collect(Collectors.joining(": "));
    }

    private ForebayException unavailable(String how, Throwable cause) {
        return new ForebayException(
                ErrorCode.UNAVAILABLE,
                "Temporal at %s did not answer %s: retry the request"
                        .formatted(config.target(), how),
                cause);
    }

    private static Optional<StatusRuntimeException> status(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof StatusRuntimeException status) {
                return Optional.of(status);
            }
        }
        return Optional.empty();
    }

    /** Returns whether Temporal failed an accepted update because its workflow ended. */
    private static boolean isOfEndedWorkflow(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof ApplicationFailure application
                    && application.getType().equals(ENDED_MEANWHILE)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the failure comes from a workflow. If not, Temporal did not answer. */
    public static boolean isSaidByWorkflow(ForebayException translated) {
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

    /** The workflow, its run or its update does not exist: it never started, or it is over. */
    public static final class NoSuchRunException extends RuntimeException {

        NoSuchRunException(Throwable cause) {
            super(cause);
        }
    }
}
