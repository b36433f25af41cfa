package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FsException;
import dev.forebay.fuse.fs.Guard;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.linux.Descriptor;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Seconds;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A request that was taken from the device and is answered by another thread: once, and when its
 * time is up with an error, whether that thread still works on it or has never come to it. Safe for
 * use by many threads.
 */
final class Deferred {

    private enum State {
        WAITING,
        AT_WORK,
        ANSWERED,
        REFUSED
    }

    /** Is there when there is memory for no other. For one thread at a time. */
    private static final Answers REFUSAL = new Answers(0);

    private final Guard guard;
    private final Operation operation;
    private final Object subject;
    private final Descriptor queue;
    private final long unique;
    private final Duration patience;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    /** Completed when it is answered or refused; fails when its time is up. */
    private final CompletableFuture<State> end = new CompletableFuture<>();

    /**
     * Of a request that has just been taken.
     *
     * @param subject what it is about, for messages
     * @param queue where to answer
     * @param patience how long its caller may have to wait from now on
     */
    Deferred(
            Guard guard,
            Operation operation,
            Object subject,
            Descriptor queue,
            long unique,
            Duration patience) {
        this.guard = guard;
        this.operation = operation;
        this.subject = subject;
        this.queue = queue;
        this.unique = unique;
        this.patience = patience;
        var _ =
                end.orTimeout(patience.toNanos(), TimeUnit.NANOSECONDS)
                        .exceptionally(
                                _ -> {
                                    expire("so many others are waited for");
                                    return State.REFUSED;
                                });
    }

    /**
     * Refuses it, as its time is up.
     *
     * @param why if nobody works on it
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
            // What it waits for is said by who works on it, when that ends.
            refuse();
        }
    }

    /** Has something done when its time is up. */
    void whenRefused(Runnable action) {
        var _ =
                end.whenComplete(
                        (how, late) -> {
                            if (late != null || how == State.REFUSED) {
                                action.run();
                            }
                        });
    }

    /** Takes back that it is answered later; false if it was refused already. */
    boolean cancel() {
        return leave(State.WAITING, State.ANSWERED);
    }

    /** Refuses it, unless it was answered. */
    private void refuse() {
        if (leave(State.WAITING, State.REFUSED) || leave(State.AT_WORK, State.REFUSED)) {
            sendRefusal(-Errno.EIO.number());
        }
    }

    /**
     * Does what the answer needs, and answers; nothing if its time is up already.
     *
     * @param answers has the answer's bytes when the body has run
     */
    void answer(Answers answers, Guard.Body body) {
        if (!state.compareAndSet(State.WAITING, State.AT_WORK)) {
            return;
        }
        int result = guard.run(operation, subject, () -> inTime(body));
        if (isOurs()) {
            send(answers, result);
        }
    }

    private void send(Answers answers, int result) {
        try {
            answers.send(queue, result, unique);
        } catch (Throwable e) {
            // It counts as answered, so nobody else will: its reader would wait for ever.
            sendRefusal(-Errno.EIO.number());
            throw e;
        }
    }

    private int inTime(Guard.Body body) {
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

    /** Whether who works on it is the one to answer. */
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
                "not answered within %s, %s".formatted(Seconds.of(patience), why));
    }
}
