package dev.forebay.benchmarks.eviction;

import dev.forebay.benchmarks.eviction.Trace.Job;
import dev.forebay.benchmarks.eviction.Trace.Objects;
import dev.forebay.benchmarks.eviction.Trace.Order;
import dev.forebay.chunkstore.eviction.EvictionPolicy;
import dev.forebay.chunkstore.eviction.TinyLfu;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;

/**
 * Replays the accesses of training jobs to a cache, and prints the hit rate of each policy. This is
 * a simulation: deterministic, the same on every machine.
 */
public final class EvictionBenchmark {

    private static final long SEED = 1;
    private static final int CACHE = 1_000;

    private static final Map<String, IntFunction<EvictionPolicy>> POLICIES =
            new TreeMap<>(
                    Map.of(
                            "LRU", _ -> new Lru(),
                            "SIEVE", _ -> new Sieve(),
                            "S3-FIFO", S3Fifo::new,
                            "W-TinyLFU", _ -> new TinyLfu()));

    private EvictionBenchmark() {}

    private static Job job(int first, int chunks, Objects objects, Order order, int epochs) {
        return new Job(first, chunks, objects, order, epochs, 0);
    }

    private static List<Trace> traces() {
        List<Trace> traces = new ArrayList<>();
        for (int percent : new int[] {110, 125, 200, 400}) {
            int chunks = CACHE * percent / 100 / 8 * 8;
            for (Order order : Order.values()) {
                for (Objects objects : Objects.values()) {
                    traces.add(
                            new Trace(
                                    "5 epochs, %s, %s objects, dataset %d %% of the cache"
                                            .formatted(
                                                    order.name().toLowerCase(Locale.ROOT),
                                                    objects.name().toLowerCase(Locale.ROOT),
                                                    percent),
                                    chunks,
                                    job(0, chunks, objects, order, 5)));
                }
            }
        }
        for (Objects objects : Objects.values()) {
            String size = objects.name().toLowerCase(Locale.ROOT) + " objects";
            traces.add(
                    new Trace(
                            "hot 60 %, 10 epochs, random; beside it one scan of 400 %, " + size,
                            4_600,
                            job(0, 600, objects, Order.RANDOM, 10),
                            job(600, 4_000, objects, Order.SEQUENTIAL, 1)));
            traces.add(
                    new Trace(
                            "hot 40 %, 20 epochs; beside it 200 %, 4 epochs, both random, " + size,
                            2_400,
                            job(0, 400, objects, Order.RANDOM, 20),
                            job(400, 2_000, objects, Order.RANDOM, 4)));
            traces.add(
                    new Trace(
                            "80 %, 4 epochs, then another 80 %, 4 epochs, random, " + size,
                            1_600,
                            job(0, 800, objects, Order.RANDOM, 4),
                            new Job(800, 800, objects, Order.RANDOM, 4, 100)));
        }
        return traces;
    }

    private static double hitRatio(Trace trace, EvictionPolicy policy) {
        int[] slotOf = new int[trace.chunks()];
        int[] chunkIn = new int[CACHE];
        Arrays.fill(slotOf, EvictionPolicy.NONE);
        long[] counts = new long[3]; // accesses, hits, chunks in the cache
        trace.replay(
                SEED,
                chunk -> {
                    counts[0]++;
                    if (slotOf[chunk] != EvictionPolicy.NONE) {
                        counts[1]++;
                        policy.touch(slotOf[chunk]);
                        return;
                    }
                    int slot = (int) counts[2];
                    if (slot == CACHE) {
                        slot = policy.victim(_ -> true);
                        policy.remove(slot);
                        slotOf[chunkIn[slot]] = EvictionPolicy.NONE;
                    } else {
                        counts[2]++;
                    }
                    slotOf[chunk] = slot;
                    chunkIn[slot] = chunk;
                    policy.add(slot, chunk);
                });
        return (double) counts[1] / counts[0];
    }

    /** Takes no arguments. */
    public static void main(String[] arguments) {
        System.out.println("| trace | " + String.join(" | ", POLICIES.keySet()) + " |");
        System.out.println("|---" + "|---:".repeat(POLICIES.size()) + "|");
        Map<String, Double> sums = new TreeMap<>();
        for (Trace trace : traces()) {
            StringBuilder row = new StringBuilder("| " + trace.name() + " |");
            POLICIES.forEach(
                    (name, policy) -> {
                        double ratio = hitRatio(trace, policy.apply(CACHE));
                        sums.merge(name, ratio, Double::sum);
                        row.append(String.format(Locale.ROOT, " %.1f %% |", 100 * ratio));
                    });
            System.out.println(row);
        }
        StringBuilder mean = new StringBuilder("| mean |");
        sums.values()
                .forEach(
                        sum ->
                                mean.append(
                                        String.format(
                                                Locale.ROOT,
                                                " %.1f %% |",
                                                100 * sum / traces().size())));
        System.out.println(mean);
    }
}
