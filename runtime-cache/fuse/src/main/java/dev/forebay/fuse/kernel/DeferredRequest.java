package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FsException;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.linux.Descriptor;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Seconds;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A request that was read from the device and is answered later by another thread. It is answered
 * exactly once. When its timeout passes, it gets an error, even if the thread still works on it or
 * has not started. Thread-safe.
 */
final class DeferredRequest {

    private enum State {
        WAITING,
        AT_WORK,
        ANSWERED,
        REFUSED
    }

    /** Allocated in advance for the case that no memory is left. Guarded by its own monitor. */
    private static final KernelReplies REFUSAL = new KernelReplies(0);

    private final UpcallGuard guard;
    private final Operation operation;
    private final Object subject;
    private final Descriptor queue;
    private final long unique;
    private final Duration timeout;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    /** Completed by an answer or a refusal; fails when the timeout passes. */
    private final CompletableFuture<State> end = new CompletableFuture<>();

    /**
     * Starts the timeout of a request that was just read.
     *
     * @param subject what the request is about, for messages
     * @param queue the descriptor to answer on
     * @param timeout the timeout, which starts now
     */
    DeferredRequest(
            UpcallGuard guard,
            Operation operation,
            Object subject,
            Descriptor queue,
            long unique,
            Duration timeout) {
        this.guard = guard;
        this.operation = operation;
        this.subject = subject;
        this.queue = queue;
        this.unique = unique;
        this.timeout = timeout;
        var _ =
                end.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
                        .exceptionally(
                                _ -> {
                                    expire("too many other reads are waiting");
                                    return State.REFUSED;
                                });
    }

    /**
     * Refuses the request because its timeout has passed.
     *
     * @param why the reason to log if no thread has started to work on it
     */
    void expire(String why) {
        if (leave(State.WAITING, State.REFUSED)) {
            sendRefusal(
                    guard.run(
                            operation,
                            subject,
                            () -> {
                                throw tooLate(why);
                            }));
        } else {
            // The thread that works on it logs the reason when it ends.
            refuse();
        }
    }

    /** Registers an action that runs when the request is refused or times out. */
    void whenRefused(Runnable action) {
        var _ =
                end.whenComplete(
                        (how, late) -> {
                            if (late != null || how == State.REFUSED) {
                                action.run();
                            }
                        });
    }

    /**
     * Cancels the deferral so that the caller can answer; returns false if it was refused already.
     */
    boolean cancel() {
        return leave(State.WAITING, State.ANSWERED);
    }

    /** Refuses the request unless it was answered. */
    private void refuse() {
        if (leave(State.WAITING, State.REFUSED) || leave(State.AT_WORK, State.REFUSED)) {
            sendRefusal(-Errno.EIO.number());
        }
    }

    /**
     * Runs the body and sends the answer. Does nothing if the timeout has passed.
     *
     * @param answers holds the bytes of the answer after the body has run
     */
    void answer(KernelReplies answers, UpcallGuard.Body body) {
        if (!state.compareAndSet(State.WAITING, State.AT_WORK)) {
            return;
        }
        int result = guard.run(operation, subject, () -> inTime(body));
        if (isOurs()) {
            send(answers, result);
        }
    }

    private void send(KernelReplies answers, int result) {
        boolean sent = false;
        try {
            answers.send(queue, result, unique);
            sent = true;
        } finally {
            if (!sent) {
                // The request counts as answered, so no other thread answers it. Its reader would
                // wait forever.
                sendRefusal(-Errno.EIO.number());
            }
        }
    }

    private int inTime(UpcallGuard.Body body) {
        int result;
        try {
            result = body.run();
        } catch (FsException e) {
            result = -e.errno().number();
        }
        if (!isOurs()) {
            throw tooLate("it took longer");
        }
        return result;
    }

    /** Returns whether the thread that works on the request is the one that must answer it. */
    private boolean isOurs() {
        return leave(State.AT_WORK, State.ANSWERED) || state.get() == State.ANSWERED;
    }

    private boolean leave(State before, State after) {
        boolean left = state.compareAndSet(before, after);
        if (left) {
            boolean _ = end.complete(after);
        }
        return left;
    }

    private void sendRefusal(int error) {
        synchronized (REFUSAL) {
            REFUSAL.send(queue, error, unique);
        }
    }

    private ForebayException tooLate(String why) {
        return new ForebayException(
                ErrorCode.UNAVAILABLE,
                "not answered within %s, %s".formatted(Seconds.of(timeout), why));
    }
}
