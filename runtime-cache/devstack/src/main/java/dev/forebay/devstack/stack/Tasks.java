package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.server.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Starts servers in parallel. A task waits for the tasks that it needs. A failure interrupts all
 * other tasks, so that the caller gets the first failure.
 */
final class Tasks implements AutoCloseable {
    private final Consumer<String> progress;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Server> started = new ArrayList<>();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    Tasks(Consumer<String> progress) {
        this.progress = progress;
    }

    /** Starts a server, and reports when it is ready. */
    <T extends Server> Future<T> start(String what, Callable<T> task) {
        return run(
                () -> {
                    long began = System.nanoTime();
                    T server = task.call();
                    synchronized (started) {
                        started.add(server);
                    }
                    progress.accept(
                            "%s is ready after %.1f s"
                                    .formatted(what, (System.nanoTime() - began) / 1e9));
                    return server;
                });
    }

    /** Starts a server, unless it is external. */
    <T extends Server> Future<Optional<T>> startUnless(
            boolean external, String what, Callable<T> task) {
        if (external) {
            return run(Optional::empty);
        }
        Future<T> server = start(what, task);
        return run(() -> Optional.of(get(server)));
    }

    /** Runs another task. */
    <T> Future<T> run(Callable<T> task) {
        return threads.submit(
                () -> {
                    try {
                        return task.call();
                    } catch (Exception e) {
                        if (failure.compareAndSet(null, e)) {
                            threads.shutdownNow();
                        }
                        throw e;
                    }
                });
    }

    /**
     * Returns the result of a task. If the task has none, throws the first failure of all tasks.
     */
    <T> T get(Future<T> task) {
        try {
            return task.get();
        } catch (ExecutionException | CancellationException e) {
            throw asUnchecked(firstFailure(e));
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
            throw new DevstackException("interrupted while starting", e);
        }
    }

    /** Returns the servers that have started so far, in this order. */
    List<Server> started() {
        synchronized (started) {
            return List.copyOf(started);
        }
    }

    /** Waits for all tasks. */
    @Override
    public void close() {
        threads.close();
    }

    private Exception firstFailure(Exception other) {
        Exception first = failure.get();
        return first == null ? other : first;
    }

    private static RuntimeException asUnchecked(Exception e) {
        return e instanceof RuntimeException unchecked
                ? unchecked
                : new DevstackException("could not start: " + e.getMessage(), e);
    }
}
