package dev.forebay.lake.s3;

import dev.forebay.lake.LakeEvents;
import dev.forebay.lake.s3.S3Failure.Request;
import dev.forebay.model.Backoff;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.thread.Pauses;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import software.amazon.awssdk.core.exception.AbortedException;

/**
 * Retries a request up to a limit, with exponential backoff. The pause after attempt <i>n</i> is
 * random between 0 and 100 ms · 2<sup>n</sup>, at most 5 s.
 */
final class RetryPolicy {

    private static final Backoff BACKOFF =
            new Backoff(Duration.ofMillis(200), Duration.ofSeconds(5));

    private final int limit;
    private final LakeEvents events;
    private final LongAdder requests = new LongAdder();

    RetryPolicy(int limit, LakeEvents events) {
        this.limit = limit;
        this.events = events;
    }

    /** Returns the number of requests sent. */
    long requests() {
        return requests.sum();
    }

    /**
     * Sends a request, retries it, and waits for the answer.
     *
     * @param what the bucket and key, for messages
     * @throws ForebayException as {@link S3Failure} classifies the failure
     */
    <T> T run(Request request, String what, Supplier<CompletableFuture<T>> attempt) {
        return runBlocking(
                request,
                what,
                () -> {
                    CompletableFuture<T> answer = attempt.get();
                    try {
                        return answer.get();
                    } finally {
                        // No effect on a request that has ended.
                        answer.cancel(true);
                    }
                });
    }

    /** Like {@link #run}, for an attempt that blocks until it has its answer. */
    <T> T runBlocking(Request request, String what, Callable<T> attempt) {
        for (int n = 1; ; n++) {
            requests.increment();
            Throwable thrown;
            try {
                return attempt.call();
            } catch (ExecutionException e) {
                thrown = e.getCause() == null ? e : e.getCause();
            } catch (InterruptedException | AbortedException e) {
                throw interrupted(what, e);
            } catch (Exception e) {
                thrown = e;
            }
            S3Failure failure = S3Failure.of(request, thrown);
            if (failure.retry()) {
                events.attemptFailed(S3Failure.isThrottled(thrown));
            }
            if (!failure.retry() || n == limit) {
                throw new ForebayException(
                        failure.code(),
                        "%s: %s%s"
                                .formatted(
                                        what,
                                        failure.why(),
                                        failure.retry() ? ", tried " + n + " times" : ""),
                        thrown);
            }
            pause(what, n);
        }
    }

    private static void pause(String what, int n) {
        try {
            Thread.sleep(Pauses.random(BACKOFF.after(n), 0));
        } catch (InterruptedException e) {
            throw interrupted(what, e);
        }
    }

    private static ForebayException interrupted(String what, Exception e) {
        Thread.currentThread().interrupt();
        return new ForebayException(ErrorCode.LAKE_UNAVAILABLE, what + ": interrupted", e);
    }
}
