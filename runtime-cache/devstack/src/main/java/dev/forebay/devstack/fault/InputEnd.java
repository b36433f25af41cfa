package dev.forebay.devstack.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tells a test's program, in a process of its own, when to end: at the end of its standard input.
 * The input also ends if the test's process dies.
 */
public final class InputEnd {

    private final AtomicBoolean reached = new AtomicBoolean();

    private InputEnd() {}

    /** Begins to read standard input and discards it. */
    public static InputEnd watch() {
        InputEnd end = new InputEnd();
        Thread.ofPlatform().daemon().name("input-end").start(end::await);
        return end;
    }

    private void await() {
        try {
            while (System.in.read() >= 0) {}
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        reached.set(true);
    }

    /** Returns whether standard input has ended, so that the program should end. */
    public boolean isReached() {
        return reached.get();
    }
}
