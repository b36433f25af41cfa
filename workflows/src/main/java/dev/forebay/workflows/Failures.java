package dev.forebay.workflows;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.workflows.message.Problem;
import io.temporal.api.enums.v1.RetryState;
import io.temporal.failure.ActivityFailure;
import io.temporal.failure.ApplicationFailure;
import io.temporal.failure.CanceledFailure;
import io.temporal.failure.TemporalFailure;
import io.temporal.failure.TerminatedFailure;
import io.temporal.failure.TimeoutFailure;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The one mapper between Forebay's errors and Temporal's failures. The type of an {@link
 * ApplicationFailure} is the name of an {@link ErrorCode}.
 */
public final class Failures {

    /** The most causes to search. Failures nest one level per activity, child and update. */
    private static final int MAX_DEPTH = 20;

    /** The detail of a failure that needs a person: nothing is retried before someone acts. */
    private static final String GIVEN_UP = "given up";

    private Failures() {}

    /** Returns the failure of an activity. Temporal retries it if the exception is retryable. */
    public static ApplicationFailure of(ForebayException exception) {
        return ApplicationFailure.newBuilder()
                .setType(exception.code().name())
                .setMessage(exception.getMessage())
                .setNonRetryable(!exception.retryable())
                .setDetails()
                .setCause(exception.getCause())
                .build();
    }

    /** Returns the refusal of an update or the failure of a workflow. Temporal never retries it. */
    public static ApplicationFailure refusal(ErrorCode code, String message) {
        return ApplicationFailure.newBuilder()
                .setType(code.name())
                .setMessage(message)
                .setNonRetryable(true)
                .setDetails()
                .build();
    }

    /** As {@link #refusal(ErrorCode, String)}. */
    public static ApplicationFailure refusal(Problem problem) {
        return refusal(problem.code(), problem.message());
    }

    /**
     * Returns a refusal like {@link #refusal(ErrorCode, String)} for work whose retries are used
     * up. {@link #exception} reports that to callers, which would otherwise take UNAVAILABLE for a
     * short outage.
     */
    public static ApplicationFailure givenUp(Problem problem) {
        return ApplicationFailure.newBuilder()
                .setType(problem.code().name())
                .setMessage(problem.message())
                .setNonRetryable(true)
                .setDetails(GIVEN_UP)
                .build();
    }

    /**
     * Returns what a validator throws. The present SDK drops the type of an {@link
     * ApplicationFailure} that a validator throws, but not the type of its cause.
     */
    public static ForebayException rejection(ErrorCode code, String message) {
        return new ForebayException(code, message, refusal(code, message));
    }

    /**
     * Returns the failure as an exception for the caller, however deeply Temporal has wrapped it.
     */
    public static ForebayException exception(Throwable failure) {
        Problem problem = problem(failure);
        return isGivenUp(failure)
                ? ForebayException.givenUp(problem.code(), problem.message(), failure)
                : new ForebayException(problem.code(), problem.message(), failure);
    }

    public static boolean isGivenUp(Throwable failure) {
        int depth = 0;
        for (Throwable at = failure; at != null && depth < MAX_DEPTH; at = at.getCause()) {
            if (at instanceof ApplicationFailure application
                    && typed(application) != null
                    && application.getDetails().getSize() > 0
                    && GIVEN_UP.equals(application.getDetails().get(String.class))) {
                return true;
            }
            depth++;
        }
        return false;
    }

    /**
     * Returns whether an activity refused, so that asking again is useless. A timeout is no
     * refusal, for example when the last attempt died with its agent, although Temporal's server
     * calls it not retryable, too.
     */
    public static boolean isRefusal(ActivityFailure failure) {
        return failure.getRetryState() == RetryState.RETRY_STATE_NON_RETRYABLE_FAILURE
                && !(failure.getCause() instanceof TimeoutFailure);
    }

    /** Returns whether the failure is a cancellation. */
    public static boolean isCancellation(TemporalFailure failure) {
        return failure instanceof CanceledFailure || failure.getCause() instanceof CanceledFailure;
    }

    /**
     * Returns the problem that a failure contains, however deeply Temporal has wrapped it. The
     * innermost typed failure decides. Without one, a timeout or the end of a workflow is
     * UNAVAILABLE, and anything else is INTERNAL.
     */
    public static Problem problem(Throwable failure) {
        Problem found = null;
        Throwable last = failure;
        int depth = 0;
        for (Throwable at = failure; at != null && depth < MAX_DEPTH; at = at.getCause()) {
            found = Optional.ofNullable(typed(at)).orElse(found);
            last = at;
            depth++;
        }
        return found != null ? found : untyped(failure, last);
    }

    private static @Nullable Problem typed(Throwable failure) {
        if (failure instanceof ForebayException exception) {
            return new Problem(exception.code(), text(exception));
        }
        if (failure instanceof ApplicationFailure application) {
            return Arrays.stream(ErrorCode.values())
                    .filter(code -> code.name().equals(application.getType()))
                    .findFirst()
                    .map(code -> new Problem(code, text(application)))
                    .orElse(null);
        }
        return null;
    }

    private static Problem untyped(Throwable failure, Throwable innermost) {
        for (Throwable at = failure; at != null && at != at.getCause(); at = at.getCause()) {
            if (at instanceof TimeoutFailure timeout) {
                return new Problem(
                        ErrorCode.UNAVAILABLE,
                        "no agent or control plane answered in time (%s): 'forebay regions' shows the agents"
                                .formatted(timeout.getTimeoutType()));
            }
            if (at instanceof TerminatedFailure || at instanceof CanceledFailure) {
                return new Problem(
                        ErrorCode.UNAVAILABLE,
                        "the workflow that worked on the request was stopped in Temporal: send the request again");
            }
        }
        return new Problem(ErrorCode.INTERNAL, text(innermost));
    }

    private static String text(Throwable failure) {
        String message =
                failure instanceof ApplicationFailure application
                        ? application.getOriginalMessage()
                        : failure.getMessage();
        return message == null ? failure.getClass().getSimpleName() : message;
    }
}
