package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/**
 * Makes missing items: those of one queue in order, the queues in parallel.
 *
 * @param queues the items
 */
record Preparation(List<List<Item>> queues) {
    /**
     * An item to make.
     *
     * @param name for people
     * @param usually the usual duration on two cores
     * @param work makes it, or throws a {@link DevstackException}
     */
    record Item(String name, Duration usually, Runnable work) {}

    /** Returns a line with the missing items and the usual duration of making them. */
    String summary() {
        List<Item> all = queues.stream().flatMap(List::stream).toList();
        Duration sum = all.stream().map(Item::usually).reduce(Duration.ZERO, Duration::plus);
        return "Missing: %s. Preparing them usually takes up to %s."
                .formatted(
                        all.stream().map(Item::name).collect(Collectors.joining(", ")),
                        Progress.inWords(sum));
    }

    /**
     * Makes all items. The first failure interrupts the others.
     *
     * @throws DevstackException the first failure
     */
    void run() {
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        try {
            ExecutorCompletionService<Boolean> ended = new ExecutorCompletionService<>(threads);
            for (List<Item> queue : queues) {
                Future<Boolean> _ = ended.submit(() -> makeInOrder(queue));
            }
            for (List<Item> _ : queues) {
                boolean _ = ended.take().get();
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof DevstackException failure
                    ? failure
                    : new DevstackException("cannot prepare: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DevstackException("interrupted", e);
        } finally {
            threads.shutdownNow();
        }
    }

    private static boolean makeInOrder(List<Item> queue) {
        queue.forEach(item -> item.work().run());
        return true;
    }
}
