package dev.forebay.devstack.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * How a program of a test, in a process of its own, learns that it is to end: its standard input
 * does. That also happens when the test's process is gone.
 */
public final class InputEnd {

    private final AtomicBoolean reached = new AtomicBoolean();

    private InputEnd() {}

    /** Begins to read standard input; what comes is ignored. */
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

    /** Whether it is time to end. */
    public boolean isReached() {
        return reached.get();
    }
}
