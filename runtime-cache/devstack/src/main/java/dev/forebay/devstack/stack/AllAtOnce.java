package dev.forebay.devstack.stack;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Does the same to several things side by side; all get their turn, whatever fails. */
final class AllAtOnce {
    private AllAtOnce() {}

    /** Returns when all are done; throws the first failure then. */
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
