package dev.forebay.benchmarks;

import dev.forebay.benchmarks.measure.Goal;
import dev.forebay.benchmarks.measure.MachineFacts;
import dev.forebay.benchmarks.measure.PageCache;
import dev.forebay.benchmarks.measure.ProgressLog;
import dev.forebay.benchmarks.measure.Results;
import dev.forebay.benchmarks.measure.Selection;
import dev.forebay.benchmarks.measure.Timing;
import dev.forebay.benchmarks.stack.BenchmarkedMounts;
import dev.forebay.benchmarks.stack.ControlPlane;
import dev.forebay.benchmarks.stack.Lake;
import dev.forebay.benchmarks.stack.MountTable;
import dev.forebay.benchmarks.stack.Scale;
import dev.forebay.devstack.fault.LatencyProxy;
import dev.forebay.devstack.stack.Region;
import dev.forebay.devstack.stack.Stack;
import dev.forebay.devstack.stack.StackConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Measures first reads and prewarming from a simulated distant lake, and compares them with other
 * programs at the same distance. The round trip and the rate of one connection are arguments.
 * Prints tables and writes {@code target/bench/away.json}. Always removes its processes, mounts and
 * data.
 */
public final class AwayBenchmark {
    private static final String REGION = "us-east-1";
    private static final Scale SCALE = Scale.AWAY;

    private final Duration roundTrip;
    private final long connectionsMegabytes;
    private final Selection selection;
    private final Results results = new Results(Goal.AWAY);

    private AwayBenchmark(Duration roundTrip, long connectionsMegabytes, Selection selection) {
        this.roundTrip = roundTrip;
        this.connectionsMegabytes = connectionsMegabytes;
        this.selection = selection;
    }

    /**
     * Takes the round trip in milliseconds, the MB/s of one connection, and names of goals like
     * {@link Benchmarks}. Only goals for cold reads apply here. Needs root.
     */
    public static void main(String[] arguments) throws Exception {
        Selection asked = Selection.parse(arguments.length > 2 ? arguments[2] : "");
        new AwayBenchmark(
                        Duration.ofMillis(Long.parseLong(arguments[0])),
                        Long.parseLong(arguments[1]),
                        asked.isAll() ? new Selection(Goal.AWAY, true) : asked)
                .run();
    }

    private void run() throws Exception {
        PageCache.requireDroppable();
        Benchmarks.endOnSignal(Thread.currentThread());
        Path output = Files.createDirectories(Path.of("target", "bench").toAbsolutePath());
        Benchmarks.requireSpace(output, SCALE.diskBytes());
        Path data = Files.createTempDirectory(output, "run-");
        Map<String, Object> circumstances = MachineFacts.atStart();
        circumstances.putAll(SCALE.circumstances());
        circumstances.put("cold_file_bytes", SCALE.coldFileBytes());
        circumstances.put("round_trip_ms", roundTrip.toMillis());
        circumstances.put("megabytes_per_second_of_a_connection", connectionsMegabytes);
        try {
            measure(data);
        } finally {
            System.out.println(results.table());
            Benchmarks.clean(data);
        }
        MachineFacts.atEnd(circumstances);
        Path file = output.resolve("away.json");
        results.write(file, circumstances);
        System.out.println(results.goals());
        ProgressLog.say("written to " + file);
    }

    private void measure(Path data) throws Exception {
        CompletableFuture<LatencyProxy> begun = new CompletableFuture<>();
        StackConfig config =
                StackConfig.inDirectory(data)
                        .regions(REGION)
                        .buckets(Lake.BUCKET)
                        .manifestBucket(Lake.MANIFESTS)
                        .sweepInterval(Benchmarks.NO_SWEEPS)
                        .lakeAsSeen(
                                lake -> {
                                    long rate = connectionsMegabytes * 1_000_000;
                                    LatencyProxy away = LatencyProxy.before(lake, roundTrip, rate);
                                    begun.complete(away);
                                    return away.endpoint();
                                })
                        .progress(ProgressLog::say)
                        .build();
        try (Stack stack = Stack.start(config);
                LatencyProxy away = begun.join();
                Lake lake = new Lake(stack.lake(), away.endpoint(), data)) {
            Region region = stack.region(REGION);
            // The stack's own pod is no contender.
            region.fuse().close();
            try (MountTable table = new MountTable(region, stack.lake(), data);
                    ControlPlane control = new ControlPlane(stack.api(), REGION);
                    BenchmarkedMounts contenders =
                            new BenchmarkedMounts(region, table, lake, data, SCALE.warm())) {
                Timing timing = new Timing(selection, contenders::processes);
                measure(
                        new DataPlane(SCALE, timing, contenders, lake, table),
                        new ControlPlaneCases(SCALE, control, lake, contenders.peers()));
            }
        }
    }

    private void measure(DataPlane plane, ControlPlaneCases prewarming) throws Exception {
        ProgressLog.say("filling lake and region");
        if (selection.controlPlane()) {
            prewarming.first(results);
        }
        plane.prepare();
        for (int number = 0; number < SCALE.warmUps() + SCALE.rounds(); number++) {
            int round = number - SCALE.warmUps() + 1;
            boolean counts = round > 0;
            ProgressLog.say(
                    counts ? "round %d of %d".formatted(round, SCALE.rounds()) : "warming up");
            Results into = counts ? results : new Results(Goal.AWAY);
            if (selection.controlPlane()) {
                prewarming.round(into);
            }
            plane.once(number, into);
        }
    }
}
