package dev.forebay.benchmarks;

import dev.forebay.benchmarks.measure.Command;
import dev.forebay.benchmarks.measure.FreeMemory;
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
import dev.forebay.devstack.mount.Mounts;
import dev.forebay.devstack.stack.Region;
import dev.forebay.devstack.stack.Stack;
import dev.forebay.devstack.stack.StackConfig;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * Measures the data plane. Starts a stack of one region with two workers, mounts it and the
 * contenders, prints tables, and writes {@code target/bench/data-plane.json}. Needs root, for the
 * mounts and to drop the kernel's caches. Always removes its processes, mounts and data.
 */
public final class Benchmarks {
    private static final String REGION = "us-east-1";
    private static final Duration CLEANING = Duration.ofMinutes(2);

    /** Prevents sweeps, which would evict versions that this class mounts without the catalogue. */
    static final Duration NO_SWEEPS = Duration.ofDays(3650);

    private Benchmarks() {}

    /**
     * Takes names of goals, separated by commas, or {@code control_plane}; none means all. The
     * second argument {@code quick} reduces the amount of each.
     */
    public static void main(String[] arguments) throws Exception {
        Selection selection = Selection.parse(arguments.length > 0 ? arguments[0] : "");
        Scale scale =
                arguments.length > 1 && arguments[1].equals("quick") ? Scale.QUICK : Scale.FULL;
        PageCache.requireDroppable();
        endOnSignal(Thread.currentThread());
        Path output = Files.createDirectories(Path.of("target", "bench").toAbsolutePath());
        requireSpace(output, scale.diskBytes());
        Path data = Files.createTempDirectory(output, "run-");
        Map<String, Object> circumstances = MachineFacts.atStart();
        circumstances.putAll(scale.circumstances());
        Results results = new Results();
        try (Arena _ = FreeMemory.holdMost()) {
            measure(selection, scale, data, results);
        } finally {
            System.out.println(results.table());
            clean(data);
        }
        MachineFacts.atEnd(circumstances);
        Path file = output.resolve("data-plane.json");
        results.write(file, circumstances);
        System.out.println(results.goals());
        ProgressLog.say("written to " + file);
    }

    static void requireSpace(Path directory, long bytes) throws IOException {
        long free = Files.getFileStore(directory).getUsableSpace();
        if (free < bytes) {
            throw new IllegalStateException(
                    "%s has %,d bytes left; this needs %,d".formatted(directory, free, bytes));
        }
    }

    private static void measure(Selection selection, Scale scale, Path data, Results results)
            throws Exception {
        StackConfig config =
                StackConfig.inDirectory(data)
                        .regions(REGION)
                        .buckets(Lake.BUCKET)
                        .manifestBucket(Lake.MANIFESTS)
                        .sweepInterval(NO_SWEEPS)
                        .progress(ProgressLog::say)
                        .build();
        try (Stack stack = Stack.start(config);
                Lake lake = new Lake(stack.lake(), data)) {
            Region region = stack.region(REGION);
            // The stack's own pod is no contender.
            region.fuse().close();
            try (MountTable table = new MountTable(region, stack.lake(), data);
                    ControlPlane control = new ControlPlane(stack.api(), REGION);
                    BenchmarkedMounts contenders =
                            new BenchmarkedMounts(region, table, lake, data, scale.warm())) {
                if (selection.controlPlane()) {
                    ControlPlaneCases cases =
                            new ControlPlaneCases(scale, control, lake, contenders.peers());
                    cases.first(results);
                    cases.round(new Results());
                    for (int i = 1; i <= scale.rounds(); i++) {
                        ProgressLog.say(
                                "control plane, round %d of %d".formatted(i, scale.rounds()));
                        cases.round(results);
                    }
                }
                if (selection.isAll() || !selection.goals().isEmpty()) {
                    Timing timing = new Timing(selection, contenders::processes);
                    DataPlane plane = new DataPlane(scale, timing, contenders, lake, table);
                    ProgressLog.say("filling lake and region");
                    plane.prepare();
                    for (int i = 1; i <= scale.warmUps(); i++) {
                        ProgressLog.say("warming up, round %d of %d".formatted(i, scale.warmUps()));
                        plane.once(i - 1, new Results());
                    }
                    for (int i = 1; i <= scale.warmUpsOfWarm(); i++) {
                        ProgressLog.say("warming up what is warm, round %d".formatted(i));
                        plane.warm(1 - i, new Results());
                    }
                    for (int i = 1; i <= scale.rounds(); i++) {
                        ProgressLog.say("data plane, round %d of %d".formatted(i, scale.rounds()));
                        plane.warm(i, results);
                        plane.once(scale.warmUps() + i - 1, results);
                    }
                }
            }
        }
    }

    /** On a signal, interrupts the running measurement and waits for its clean-up. */
    static void endOnSignal(Thread main) {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    main.interrupt();
                                    try {
                                        main.join(CLEANING.toMillis());
                                    } catch (InterruptedException e) {
                                        Thread.currentThread().interrupt();
                                    }
                                },
                                "clean-up"));
    }

    /** Unmounts and deletes everything that a run has left. */
    static void clean(Path data) throws IOException, InterruptedException {
        boolean interrupted = Thread.interrupted();
        Mounts.below(data).forEach(Mounts::detach);
        Command.run("rm", "-rf", "--one-file-system", data.toString());
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
