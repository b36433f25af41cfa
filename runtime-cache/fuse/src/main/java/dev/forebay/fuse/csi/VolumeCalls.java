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
    private final ExecutorService publishing;

    private final ExecutorService unpublishing;
    private final Set<Path> targets = ConcurrentHashMap.newKeySet();
    private volatile boolean stops;

    /**
     * @param most calls of each kind at once
     * @param patience for how long one may wait
     */
    VolumeCalls(int most, Duration patience) {
        this.patience = patience;
        publishing = threads("csi-publish-", most);
        unpublishing = threads("csi-unpublish-", most);
    }

    private static ExecutorService threads(String name, int most) {
        ThreadPoolExecutor threads =
                new ThreadPoolExecutor(
                        most,
                        most,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new SynchronousQueue<>(),
                        Thread.ofPlatform().daemon().name(name, 0).factory());
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** Publishes, and tells the caller how it went. */
    <T> void publish(Path target, StreamObserver<T> caller, Work<T> work) {
        run(publishing, target, caller, work);
    }

    /** As {@link #publish}, the other way. */
    <T> void unpublish(Path target, StreamObserver<T> caller, Work<T> work) {
        run(unpublishing, target, caller, work);
    }

    private <T> void run(
            ExecutorService threads, Path target, StreamObserver<T> caller, Work<T> work) {
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
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            threads.execute(() -> run(target, until, work, answer));
        } catch (RejectedExecutionException e) {
            targets.remove(target);
            caller.onError(
                    GrpcErrors.of(
                            new ForebayException(
                                    ErrorCode.CAPACITY_EXCEEDED,
                                    "as many calls as --calls allows are under way; try again")));
            return;
        }
        var _ =
                answer.orTimeout(until.last().toNanos(), TimeUnit.NANOSECONDS)
                        .whenComplete((value, failure) -> answer(caller, value, failure));
    }

    private <T> void run(Path target, Patience until, Work<T> work, CompletableFuture<T> answer) {
        T value;
        try {
            value = work.run(until);
        } catch (Throwable e) {
            targets.remove(target);
            answer.completeExceptionally(e);
            return;
        }
        // First, or who is answered and asks for more would be told that this is under way.
        targets.remove(target);
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
        publishing.shutdown();
        unpublishing.shutdown();
    }

    @Override
    public void close() {
        stop();
    }
}
