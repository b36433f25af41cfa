package dev.forebay.fuse.csi;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.thread.CatchAll;
import dev.forebay.thread.ThreadStart;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Runs the calls that mount and unmount. It limits them to one at a time per target, and to a total
 * number. Each call is answered in time even if its thread is stuck in the kernel, as happens while
 * no server serves a held mount. Thread-safe.
 */
final class VolumeCalls implements AutoCloseable {

    /** The work of a call. */
    @FunctionalInterface
    interface Work<T> {
        T run(CallTimeout timeout) throws IOException;
    }

    private static final int IDLE_SECONDS = 30;

    private final Duration timeout;

    /** Two pools, so that volumes can be unpublished while others wait for their versions. */
    private final Kind publishing;

    private final Kind unpublishing;
    private final Set<Path> targets = ConcurrentHashMap.newKeySet();
    private volatile boolean stops;

    /**
     * @param most the maximum number of concurrent calls of each kind
     * @param timeout the maximum time that a call may wait
     */
    VolumeCalls(int most, Duration timeout) {
        this.timeout = timeout;
        publishing = Kind.of("csi-publish-", most);
        unpublishing = Kind.of("csi-unpublish-", most);
    }

    /**
     * One kind of calls, publish or unpublish.
     *
     * @param permits the number of calls that may still start. A permit is released before the
     *     caller gets the answer, because the caller may send the next call at once.
     */
    private record Kind(ExecutorService threads, Semaphore permits) {

        static Kind of(String name, int most) {
            return new Kind(
                    new ThreadPoolExecutor(
                            0,
                            Integer.MAX_VALUE,
                            IDLE_SECONDS,
                            TimeUnit.SECONDS,
                            new SynchronousQueue<>(),
                            Thread.ofPlatform().daemon().name(name, 0).factory()),
                    new Semaphore(most));
        }
    }

    /** Publishes a volume, and sends the result to the caller. */
    <T> void publish(Path target, StreamObserver<T> caller, Work<T> work) {
        run(publishing, target, caller, work);
    }

    /** Unpublishes a volume, and sends the result to the caller. */
    <T> void unpublish(Path target, StreamObserver<T> caller, Work<T> work) {
        run(unpublishing, target, caller, work);
    }

    private <T> void run(Kind kind, Path target, StreamObserver<T> caller, Work<T> work) {
        ServerCallStreamObserver<T> call = (ServerCallStreamObserver<T>) caller;
        // Without a handler, an answer to a caller that has gone would throw.
        call.setOnCancelHandler(() -> {});
        CallTimeout until =
                new CallTimeout(
                        timeout,
                        Context.current().getDeadline(),
                        () -> stops || call.isCancelled());
        CompletableFuture<T> answer = new CompletableFuture<>();
        Callable<T> body = () -> run(kind, target, until, work);
        Runnable task = () -> CatchAll.complete(answer, body);
        Runnable start = () -> kind.threads().execute(task);
        if (!targets.add(target)) {
            caller.onError(
                    Status.ABORTED
                            .withDescription(
                                    "another call for target_path %s is running".formatted(target))
                            .asRuntimeException());
            return;
        }
        if (!kind.permits().tryAcquire()) {
            targets.remove(target);
            refuse(
                    caller,
                    ErrorCode.CAPACITY_EXCEEDED,
                    "the most calls that --calls allows are running: retry");
            return;
        }
        if (!ThreadStart.attempt(start)) {
            end(kind, target);
            refuse(
                    caller,
                    ErrorCode.UNAVAILABLE,
                    "the driver is stopping, or has no thread for this call: retry");
            return;
        }
        var _ =
                answer.orTimeout(until.last().toNanos(), TimeUnit.NANOSECONDS)
                        .whenComplete((value, failure) -> answer(caller, value, failure));
    }

    private static void refuse(StreamObserver<?> caller, ErrorCode code, String message) {
        caller.onError(GrpcErrors.of(new ForebayException(code, message)));
    }

    private void end(Kind kind, Path target) {
        targets.remove(target);
        kind.permits().release();
    }

    private <T> T run(Kind kind, Path target, CallTimeout until, Work<T> work) throws IOException {
        try {
            return work.run(until);
        } finally {
            // Before the answer, or the caller's next call could be refused because this one still
            // runs.
            end(kind, target);
        }
    }

    private static <T> void answer(StreamObserver<T> caller, T value, @Nullable Throwable failure) {
        if (failure == null) {
            caller.onNext(value);
            caller.onCompleted();
            return;
        }
        caller.onError(
                GrpcErrors.of(
                        failure instanceof TimeoutException
                                ? new ForebayException(
                                        ErrorCode.UNAVAILABLE,
                                        "Forebay's mount on the node does not answer, because no "
                                                + "process serves it now; the call continues")
                                : failure));
    }

    /** Ends waits for versions, and refuses new calls. */
    void stop() {
        stops = true;
        publishing.threads().shutdown();
        unpublishing.threads().shutdown();
    }

    @Override
    public void close() {
        stop();
    }
}
