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
 * Makes what is missing: the items of a queue one after the other, the queues beside each other.
 *
 * @param queues the items
 */
record Preparation(List<List<Item>> queues) {
    /**
     * Something that can be made.
     *
     * @param name as people are told
     * @param usually how long that takes on two cores
     * @param work makes it, or throws a {@link DevstackException}
     */
    record Item(String name, Duration usually, Runnable work) {}

    /** Says what is missing and for how long it usually takes to make all of it. */
    String summary() {
        List<Item> all = queues.stream().flatMap(List::stream).toList();
        Duration sum = all.stream().map(Item::usually).reduce(Duration.ZERO, Duration::plus);
        return "Missing: %s. To make all of it usually takes up to %s."
                .formatted(
                        all.stream().map(Item::name).collect(Collectors.joining(", ")),
                        Progress.inWords(sum));
    }

    /**
     * Makes everything. The first failure interrupts what is under way.
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
