package dev.forebay.benchmarks.measure;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Processes a list with a few threads. Each takes the next item when it has finished one. */
public final class Parallel {
    private Parallel() {}

    /** The work on one item. */
    @FunctionalInterface
    public interface Work<T> {
        void on(T item) throws Exception;
    }

    /** Processes all items, and returns the seconds of processor time that the threads used. */
    public static <T> double forEach(int threads, List<T> items, Work<T> work) throws Exception {
        AtomicInteger next = new AtomicInteger();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Future<Long>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(
                        executor.submit(
                                () -> {
                                    for (int at = next.getAndIncrement();
                                            at < items.size();
                                            at = next.getAndIncrement()) {
                                        work.on(items.get(at));
                                    }
                                    return ManagementFactory.getThreadMXBean()
                                            .getCurrentThreadCpuTime();
                                }));
            }
            long nanos = 0;
            for (Future<Long> each : all) {
                nanos += each.get();
            }
            return nanos / 1e9;
        }
    }
}
