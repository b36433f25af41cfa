package dev.forebay.fuse.csi;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Calls that mount and unmount: one at a time for each target, so many at once, and each answered
 * in time even if the kernel keeps its thread, as it does while nobody serves a mount that is held.
 * Thread-safe.
 */
final class VolumeCalls implements AutoCloseable {

    /** What a call does. */
    @FunctionalInterface
    interface Work<T> {
        T run(Patience patience) throws IOException;
    }

    private static final int IDLE_SECONDS = 30;

    private final Duration patience;

    /** Apart, so that volumes can leave while others wait for their versions. */
    private final Kind publishing;

    private final Kind unpublishing;
    private final Set<Path> targets = ConcurrentHashMap.newKeySet();
    private volatile boolean stops;

    /**
     * @param most calls of each kind at once
     * @param patience for how long one may wait
     */
    VolumeCalls(int most, Duration patience) {
        this.patience = patience;
        publishing = Kind.of("csi-publish-", most);
        unpublishing = Kind.of("csi-unpublish-", most);
    }

    /**
     * Calls of a kind.
     *
     * @param permits as many as may still begin; given back before the caller is answered, who may
     *     ask for more at once, when the thread is not idle yet
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

    /** Publishes, and tells the caller how it went. */
    <T> void publish(Path target, StreamObserver<T> caller, Work<T> work) {
        run(publishing, target, caller, work);
    }

    /** As {@link #publish}, the other way. */
    <T> void unpublish(Path target, StreamObserver<T> caller, Work<T> work) {
        run(unpublishing, target, caller, work);
    }

    private <T> void run(Kind kind, Path target, StreamObserver<T> caller, Work<T> work) {
        ServerCallStreamObserver<T> call = (ServerCallStreamObserver<T>) caller;
        // Without a handler it would be an error to answer one who has gone.
        call.setOnCancelHandler(() -> {});
        Patience until =
                new Patience(
                        patience,
                        Context.current().getDeadline(),
                        () -> stops || call.isCancelled());
        if (!targets.add(target)) {
            caller.onError(
                    Status.ABORTED
                            .withDescription(
                                    "a call for target_path %s is under way".formatted(target))
                            .asRuntimeException());
            return;
        }
        if (!kind.permits().tryAcquire()) {
            targets.remove(target);
            refuse(
                    caller,
                    ErrorCode.CAPACITY_EXCEEDED,
                    "as many calls as --calls allows are under way; try again");
            return;
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            kind.threads().execute(() -> run(kind, target, until, work, answer));
        } catch (RejectedExecutionException e) {
            end(kind, target);
            refuse(caller, ErrorCode.UNAVAILABLE, "the driver stops; try again");
            return;
        } catch (OutOfMemoryError noThread) {
            end(kind, target);
            refuse(caller, ErrorCode.UNAVAILABLE, "there is no thread for this call; try again");
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

    private <T> void run(
            Kind kind, Path target, Patience until, Work<T> work, CompletableFuture<T> answer) {
        T value;
        try {
            value = work.run(until);
        } catch (Throwable e) {
            end(kind, target);
            answer.completeExceptionally(e);
            return;
        }
        // First, or who is answered and asks for more would be told that this is under way.
        end(kind, target);
        answer.complete(value);
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
                                        "the node's mount of Forebay does not answer: nobody serves"
                                                + " it now; the call goes on")
                                : failure));
    }

    /** Nobody waits any longer for what is not there. */
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
