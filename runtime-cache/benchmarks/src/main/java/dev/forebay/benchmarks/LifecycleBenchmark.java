package dev.forebay.benchmarks;

import static dev.forebay.benchmarks.measure.Results.FOREBAY;

import dev.forebay.benchmarks.measure.BenchmarkedSystem;
import dev.forebay.benchmarks.measure.Goal;
import dev.forebay.benchmarks.measure.MachineFacts;
import dev.forebay.benchmarks.measure.PageCache;
import dev.forebay.benchmarks.measure.Parallel;
import dev.forebay.benchmarks.measure.ProgressLog;
import dev.forebay.benchmarks.measure.Results;
import dev.forebay.benchmarks.stack.BareUpdate;
import dev.forebay.benchmarks.stack.ControlPlane;
import dev.forebay.benchmarks.stack.Dataset;
import dev.forebay.benchmarks.stack.Lake;
import dev.forebay.benchmarks.stack.MountTable;
import dev.forebay.benchmarks.stack.Peers;
import dev.forebay.benchmarks.stack.Scale;
import dev.forebay.devstack.stack.Region;
import dev.forebay.devstack.stack.Stack;
import dev.forebay.devstack.stack.StackConfig;
import dev.forebay.model.ChunkId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Measures how long callers of the lifecycle wait: for a cached version, as a crowd for one cold
 * version, and for a prewarming. The stack has one region with two workers. Prints tables and
 * writes {@code target/bench/lifecycle.json}. Always removes its processes and data.
 */
public final class LifecycleBenchmark {
    private static final String REGION = "us-east-1";
    private static final long PART_BYTES = ChunkId.CHUNK_BYTES;
    private static final int CROWDS_OBJECTS = 500;
    private static final Dataset CACHED = Dataset.small("lifecycle-cached", 100);

    /** The space for lake, stores and downloads, with a reserve. */
    private static final long DISK_BYTES = 8L << 30;

    /** Etcd reports the end of the fill before the first caller has its answer. */
    private static final long TOLD_WITHIN_SECONDS = 60;

    private final Effort effort;
    private final Results results;
    private final Lake lake;
    private final MountTable table;
    private final ControlPlane control;
    private final BareUpdate bare;

    /**
     * The amounts of work.
     *
     * @param warmUps rounds for the compilers, which do not count
     * @param rounds that count
     * @param calls in a round, of which the median counts
     * @param concurrentCalls callers at once
     * @param scale of the prewarming
     */
    private record Effort(int warmUps, int rounds, int calls, int concurrentCalls, Scale scale) {
        static final Effort FULL = new Effort(2, 5, 40, 1_000, Scale.FULL);

        /** Checks only that everything works. */
        static final Effort QUICK = new Effort(1, 1, 5, 100, Scale.QUICK);

        Map<String, Object> circumstances() {
            return Map.of(
                    "warm_up_rounds", warmUps,
                    "rounds_that_count", rounds,
                    "calls_in_a_round", calls,
                    "callers_at_once", concurrentCalls,
                    "crowds_objects", CROWDS_OBJECTS,
                    "prewarmed_large_object_bytes", scale.coldShardBytes(),
                    "prewarmed_small_objects", scale.coldFiles());
        }
    }

    private LifecycleBenchmark(
            Effort effort,
            Results results,
            Lake lake,
            MountTable table,
            ControlPlane control,
            BareUpdate bare) {
        this.effort = effort;
        this.results = results;
        this.lake = lake;
        this.table = table;
        this.control = control;
        this.bare = bare;
    }

    /**
     * Takes {@code quick} for small amounts, or nothing. Needs root to drop the kernel's caches.
     */
    public static void main(String[] arguments) throws Exception {
        boolean quick = arguments.length > 0 && arguments[0].equals("quick");
        Effort effort = quick ? Effort.QUICK : Effort.FULL;
        PageCache.requireDroppable();
        Benchmarks.endOnSignal(Thread.currentThread());
        Path output = Files.createDirectories(Path.of("target", "bench").toAbsolutePath());
        Benchmarks.requireSpace(output, DISK_BYTES);
        Path data = Files.createTempDirectory(output, "run-");
        Map<String, Object> circumstances = MachineFacts.atStart();
        circumstances.putAll(effort.circumstances());
        Results results = new Results(Goal.LIFECYCLE);
        try {
            measure(effort, data, results);
        } finally {
            System.out.println(results.table());
            Benchmarks.clean(data);
        }
        MachineFacts.atEnd(circumstances);
        Path file = output.resolve("lifecycle.json");
        results.write(file, circumstances);
        System.out.println(results.goals());
        ProgressLog.say("written to " + file);
    }

    private static void measure(Effort effort, Path data, Results results) throws Exception {
        StackConfig config =
                StackConfig.inDirectory(data)
                        .regions(REGION)
                        .buckets(Lake.BUCKET)
                        .manifestBucket(Lake.MANIFESTS)
                        .sweepInterval(Benchmarks.NO_SWEEPS)
                        .progress(ProgressLog::say)
                        .build();
        try (Stack stack = Stack.start(config);
                Lake lake = new Lake(stack.lake(), data);
                Peers peers = new Peers(lake, data)) {
            Region region = stack.region(REGION);
            // This benchmark has no readers.
            region.fuse().close();
            try (MountTable table = new MountTable(region, stack.lake(), data);
                    ControlPlane control = new ControlPlane(stack.api(), REGION);
                    BareUpdate bare = new BareUpdate(stack.temporal().target())) {
                LifecycleBenchmark benchmark =
                        new LifecycleBenchmark(effort, results, lake, table, control, bare);
                benchmark.cached();
                benchmark.crowds();
                benchmark.prewarmed(new ControlPlaneCases(effort.scale(), control, lake, peers));
            }
        }
    }

    private void register(Dataset dataset) throws Exception {
        lake.put(dataset);
        control.register(dataset.name(), Lake.source(dataset));
    }

    /** Alternates with the bare update, which is the least time of the engine for a message. */
    private void cached() throws Exception {
        register(CACHED);
        control.ensure(CACHED.name());
        for (int round = -effort.warmUps(); round < effort.rounds(); round++) {
            say("a version that is cached", round);
            double[] ours = new double[effort.calls()];
            double[] theirs = new double[effort.calls()];
            for (int call = 0; call < effort.calls(); call++) {
                ours[call] = millis(() -> control.ensure(CACHED.name()));
                theirs[call] = millis(bare::call);
            }
            if (round >= 0) {
                results.add("ensure_cached", FOREBAY, "ms", median(ours));
                results.add(
                        "ensure_cached",
                        BenchmarkedSystem.BARE_UPDATE.label(),
                        "ms",
                        median(theirs));
            }
        }
    }

    /** Lets all callers ask at once for a version that was never listed. */
    private void crowds() throws Exception {
        for (int round = -effort.warmUps(); round < effort.rounds(); round++) {
            say("%d callers".formatted(effort.concurrentCalls()), round);
            int number = effort.warmUps() + round;
            Dataset cold = Dataset.small("lifecycle-crowd-" + number, CROWDS_OBJECTS);
            register(cold);
            CompletableFuture<Long> filled = table.cached(cold);
            List<Integer> callers = IntStream.range(0, effort.concurrentCalls()).boxed().toList();
            Parallel.forEach(effort.concurrentCalls(), callers, _ -> control.ensure(cold.name()));
            long answered = System.nanoTime();
            double seconds = (answered - filled.get(TOLD_WITHIN_SECONDS, TimeUnit.SECONDS)) / 1e9;
            if (round >= 0) {
                results.add("answered_after_fill", FOREBAY, "s", seconds);
                gets("gets_per_object_crowd", cold);
            }
        }
    }

    private void prewarmed(ControlPlaneCases cases) throws Exception {
        cases.first(results);
        for (Dataset dataset : cases.datasets()) {
            gets("gets_per_object_" + (dataset.isSmall() ? "small" : "large"), dataset);
        }
        for (int round = -effort.warmUps(); round < effort.rounds(); round++) {
            say("prewarming", round);
            cases.round(round < 0 ? new Results(Goal.LIFECYCLE) : results);
        }
    }

    /**
     * Adds the number of GETs for each object. Each part of a larger object counts as one object.
     */
    private void gets(String name, Dataset dataset) throws Exception {
        long parts = dataset.files() * Math.ceilDiv(dataset.bytes(), PART_BYTES);
        results.add(name, FOREBAY, "GETs/object", (double) lake.gets(dataset) / parts);
    }

    private void say(String what, int round) {
        ProgressLog.say(
                round < 0
                        ? "%s, warming up".formatted(what)
                        : "%s, round %d of %d".formatted(what, round + 1, effort.rounds()));
    }

    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    private static double millis(Work work) throws Exception {
        long began = System.nanoTime();
        work.run();
        return (System.nanoTime() - began) / 1e6;
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return (sorted[sorted.length / 2] + sorted[(sorted.length - 1) / 2]) / 2;
    }
}
