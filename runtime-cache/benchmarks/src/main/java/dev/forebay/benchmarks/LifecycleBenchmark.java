package dev.forebay.benchmarks;

import static dev.forebay.benchmarks.Results.FOREBAY;

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
import java.util.stream.IntStream;

/**
 * What callers of the lifecycle wait for, on a stack of one region with two workers: a version that
 * is there already, a prewarming, and a crowd of callers for one cold version. Prints tables and
 * writes {@code target/bench/lifecycle.json}. However it ends, no process and no data are left.
 */
public final class LifecycleBenchmark {
    private static final String REGION = "us-east-1";
    private static final int ROUNDS = 5;

    /** For the compilers. */
    private static final int WARM_UPS = 2;

    private static final int CALLS = 40;
    private static final int CROWD = 1_000;
    private static final long PART_BYTES = ChunkId.CHUNK_BYTES;
    private static final Dataset CACHED = Dataset.small("lifecycle-cached", 100);

    private final Results results;
    private final Lake lake;
    private final MountTable table;
    private final ControlPlane control;
    private final BareUpdate bare;

    private LifecycleBenchmark(
            Results results,
            Lake lake,
            MountTable table,
            ControlPlane control,
            BareUpdate bare) {
        this.results = results;
        this.lake = lake;
        this.table = table;
        this.control = control;
        this.bare = bare;
    }

    /** Runs it; no arguments. Needs root, to drop the kernel's caches. */
    public static void main(String[] arguments) throws Exception {
        PageCache.requireDroppable();
        Benchmarks.endOnSignal(Thread.currentThread());
        Path output = Files.createDirectories(Path.of("target", "bench").toAbsolutePath());
        Path data = Files.createTempDirectory(output, "run-");
        Map<String, Object> circumstances = Circumstances.atStart();
        Results results = new Results(Goal.LIFECYCLE);
        try {
            measure(data, results);
        } finally {
            System.out.println(results.table());
            Benchmarks.clean(data);
        }
        Circumstances.atEnd(circumstances);
        Path file = output.resolve("lifecycle.json");
        results.write(file, circumstances);
        System.out.println(results.goals());
        Benchmarks.say("written to " + file);
    }

    private static void measure(Path data, Results results) throws Exception {
        StackConfig config =
                StackConfig.inDirectory(data)
                        .regions(REGION)
                        .buckets(Lake.BUCKET)
                        .manifestBucket(Lake.MANIFESTS)
                        .progress(Benchmarks::say)
                        .build();
        try (Stack stack = Stack.start(config);
                Lake lake = new Lake(stack.lake(), data);
                Peers peers = new Peers(lake, data)) {
            Region region = stack.region(REGION);
            // Nobody reads here.
            region.fuse().close();
            try (MountTable table = new MountTable(region, stack.lake(), data);
                    ControlPlane control = new ControlPlane(stack.api(), REGION);
                    BareUpdate bare = new BareUpdate(stack.temporal().target())) {
                LifecycleBenchmark benchmark =
                        new LifecycleBenchmark(results, lake, table, control, bare);
                benchmark.cached();
                benchmark.crowds();
                benchmark.prewarmed(new ControlPlaneCases(Scale.FULL, control, lake, peers));
            }
        }
    }

    private void register(Dataset dataset) throws Exception {
        lake.put(dataset);
        control.register(dataset.name(), "s3://%s/%s/".formatted(Lake.BUCKET, dataset.name()));
    }

    /** In turn with what the engine takes for a message that asks for nothing. */
    private void cached() throws Exception {
        register(CACHED);
        control.ensure(CACHED.name());
        for (int round = -WARM_UPS; round < ROUNDS; round++) {
            Benchmarks.say("a version that is cached, round %d of %d".formatted(round + 1, ROUNDS));
            double[] ours = new double[CALLS];
            double[] theirs = new double[CALLS];
            for (int call = 0; call < CALLS; call++) {
                ours[call] = millis(() -> control.ensure(CACHED.name()));
                theirs[call] = millis(bare::call);
            }
            if (round >= 0) {
                results.add("ensure_cached", FOREBAY, "ms", median(ours));
                results.add("ensure_cached", Contender.BARE_UPDATE.label(), "ms", median(theirs));
            }
        }
    }

    /** All ask at once for a version that nobody has listed yet. */
    private void crowds() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            Benchmarks.say("%d callers, round %d of %d".formatted(CROWD, round + 1, ROUNDS));
            Dataset cold = Dataset.small("lifecycle-crowd-" + round, 500);
            register(cold);
            CompletableFuture<Long> filled = table.cached(cold);
            List<Integer> callers = IntStream.range(0, CROWD).boxed().toList();
            double _ = Parallel.forEach(CROWD, callers, caller -> control.ensure(cold.name()));
            double seconds = (System.nanoTime() - filled.join()) / 1e9;
            results.add("answered_after_fill", FOREBAY, "s", seconds);
            gets("gets_per_object_crowd", cold);
        }
    }

    private void prewarmed(ControlPlaneCases cases) throws Exception {
        cases.first(results);
        for (Dataset dataset : cases.datasets()) {
            gets("gets_per_object_" + (dataset.isSmall() ? "small" : "large"), dataset);
        }
        cases.round(new Results());
        for (int round = 0; round < ROUNDS; round++) {
            Benchmarks.say("prewarming, round %d of %d".formatted(round + 1, ROUNDS));
            cases.round(results);
        }
    }

    /** Of larger objects each part counts as one. */
    private void gets(String name, Dataset dataset) throws Exception {
        long parts = dataset.files() * Math.ceilDiv(dataset.bytes(), PART_BYTES);
        results.add(name, FOREBAY, "GETs/object", (double) lake.gets(dataset) / parts);
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
