package dev.forebay.devstack.stack;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Applies an action to several things in parallel. A failure does not prevent the other actions.
 */
final class AllAtOnce {
    private AllAtOnce() {}

    /**
     * Handles one group after the other, each in parallel. A failure does not prevent later groups.
     */
    static <T> void groups(List<List<T>> groups, Consumer<T> action) {
        @Nullable RuntimeException first = null;
        for (List<T> group : groups) {
            try {
                run(group, action);
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /**
     * Applies the action to all things, returns when all have ended, and then throws the first
     * failure.
     */
    static <T> void run(List<T> things, Consumer<T> action) {
        List<Future<?>> all = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            things.forEach(thing -> all.add(threads.submit(() -> action.accept(thing))));
        }
        for (Future<?> done : all) {
            try {
                done.get();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof RuntimeException unchecked
                        ? unchecked
                        : new IllegalStateException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
