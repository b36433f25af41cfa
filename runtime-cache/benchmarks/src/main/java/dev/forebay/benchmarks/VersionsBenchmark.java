package dev.forebay.benchmarks;

import static dev.forebay.benchmarks.measure.Results.FOREBAY;

import dev.forebay.benchmarks.measure.CpuTime;
import dev.forebay.benchmarks.measure.MachineFacts;
import dev.forebay.benchmarks.measure.MemoryAndDiskUse;
import dev.forebay.benchmarks.measure.Parallel;
import dev.forebay.benchmarks.measure.ProgressLog;
import dev.forebay.benchmarks.measure.Results;
import dev.forebay.benchmarks.stack.ControlPlane;
import dev.forebay.benchmarks.stack.Dataset;
import dev.forebay.benchmarks.stack.Histories;
import dev.forebay.benchmarks.stack.Lake;
import dev.forebay.devstack.stack.Stack;
import dev.forebay.devstack.stack.StackConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Keeps many versions alive at once, each of its own dataset and CACHED in one region. Measures the
 * growth of Temporal's histories, the databases and the control plane for each version. Prints a
 * table and writes {@code target/bench/versions.json}. Always removes its processes and data.
 */
public final class VersionsBenchmark {
    private static final String REGION = "us-east-1";
    private static final int MOST = 20_000;
    private static final int CALLERS = 8;
    private static final int OBJECTS = 3;
    private static final int OBJECT_BYTES = 4096;

    /**
     * For the compilers, pools and caches, whose size does not depend on the number of versions.
     */
    private static final int WARM_UPS = 50;

    /** Three sweeps, each of which checks all versions. Measured without versions and with them. */
    private static final Duration IDLE = Duration.ofSeconds(90);

    private static final Duration SWEEP_INTERVAL = Duration.ofSeconds(30);
    private static final String CONTROL_PLANE = "control_plane";
    private static final String TEMPORAL = "temporal";
    private static final String POSTGRES = "postgres";
    private static final double MEGABYTE = 1e6;
    private static final double KILOBYTE = 1e3;

    private final int versions;
    private final Results results;
    private final Stack stack;
    private final Lake lake;
    private final ControlPlane control;

    private VersionsBenchmark(
            int versions, Results results, Stack stack, Lake lake, ControlPlane control) {
        this.versions = versions;
        this.results = results;
        this.stack = stack;
        this.lake = lake;
        this.control = control;
    }

    /** Takes the number of versions. */
    public static void main(String[] arguments) throws Exception {
        int versions = Integer.parseInt(arguments[0]);
        if (versions < 1 || versions > MOST) {
            throw new IllegalArgumentException(
                    "VERSIONS=%d must be from 1 to %d".formatted(versions, MOST));
        }
        Benchmarks.endOnSignal(Thread.currentThread());
        Path output = Files.createDirectories(Path.of("target", "bench").toAbsolutePath());
        Path data = Files.createTempDirectory(output, "versions-");
        Map<String, Object> circumstances = MachineFacts.atStart();
        circumstances.put("versions", versions);
        circumstances.put("warm_up_versions", WARM_UPS);
        circumstances.put("objects_of_a_version", OBJECTS);
        circumstances.put("callers_at_once", CALLERS);
        circumstances.put("idle_seconds", IDLE.toSeconds());
        circumstances.put("sweep_interval_seconds", SWEEP_INTERVAL.toSeconds());
        Results results = new Results(List.of());
        try {
            measure(versions, data, results);
        } finally {
            System.out.println(results.table());
            Benchmarks.clean(data);
        }
        MachineFacts.atEnd(circumstances);
        Path file = output.resolve("versions.json");
        results.write(file, circumstances);
        ProgressLog.say("written to " + file);
    }

    private static void measure(int versions, Path data, Results results) throws Exception {
        StackConfig config =
                StackConfig.inDirectory(data)
                        .regions(REGION)
                        .buckets(Lake.BUCKET)
                        .manifestBucket(Lake.MANIFESTS)
                        .sweepInterval(SWEEP_INTERVAL)
                        .progress(ProgressLog::say)
                        .build();
        try (Stack stack = Stack.start(config);
                Lake lake = new Lake(stack.lake(), data);
                ControlPlane control = new ControlPlane(stack.api(), REGION)) {
            // This benchmark has no readers.
            stack.region(REGION).fuse().close();
            new VersionsBenchmark(versions, results, stack, lake, control).run();
        }
    }

    private void run() throws Exception {
        List<Dataset> warmUps = registered("warm-up", WARM_UPS);
        List<Dataset> alive = registered("alive", versions);
        ProgressLog.say("warming up");
        ensure(warmUps);
        idle("cpu_idle_before");
        MemoryAndDiskUse before = MemoryAndDiskUse.of(stack);
        Processes began = Processes.of(stack);
        ProgressLog.say("ensuring %d versions".formatted(versions));
        long start = System.nanoTime();
        ensure(alive);
        double seconds = (System.nanoTime() - start) / 1e9;
        Processes ended = Processes.of(stack);
        results.add("ensure", FOREBAY, "versions/s", versions / seconds);
        cpu("cpu_ensure", "ms/version", began, ended, versions);
        idle("cpu_idle");
        memory(before, MemoryAndDiskUse.of(stack));
        histories();
    }

    /** Measures the processor time while there are no requests. */
    private void idle(String name) throws Exception {
        ProgressLog.say("idle for %d s".formatted(IDLE.toSeconds()));
        Processes atRest = Processes.of(stack);
        Thread.sleep(IDLE);
        cpu(name, "ms/s", atRest, Processes.of(stack), (double) IDLE.toSeconds());
    }

    /** Puts objects into the lake, and registers them as datasets. */
    private List<Dataset> registered(String name, int count) throws Exception {
        List<Dataset> datasets =
                IntStream.range(0, count)
                        .mapToObj(
                                i ->
                                        new Dataset(
                                                "%s-%05d".formatted(name, i),
                                                OBJECTS,
                                                OBJECT_BYTES))
                        .toList();
        for (Dataset dataset : datasets) {
            lake.put(dataset);
            control.register(dataset.name(), Lake.source(dataset));
        }
        return datasets;
    }

    private void ensure(List<Dataset> datasets) throws Exception {
        Parallel.forEach(CALLERS, datasets, dataset -> control.ensure(dataset.name()));
    }

    /** The processor time so far, in seconds. */
    private record Processes(double controlPlane, double temporal) {
        static Processes of(Stack stack) throws Exception {
            return new Processes(
                    CpuTime.of(List.of(stack.controlPlane().pid())),
                    CpuTime.of(List.of(stack.temporal().pid())));
        }
    }

    private void cpu(String name, String unit, Processes from, Processes to, double divisor) {
        results.add(
                name,
                CONTROL_PLANE,
                unit,
                1e3 * (to.controlPlane() - from.controlPlane()) / divisor);
        results.add(name, TEMPORAL, unit, 1e3 * (to.temporal() - from.temporal()) / divisor);
    }

    private void memory(MemoryAndDiskUse before, MemoryAndDiskUse after) {
        results.add("live_heap", CONTROL_PLANE, "MB", after.controlPlaneHeapBytes() / MEGABYTE);
        perVersion(
                "live_heap_grown",
                CONTROL_PLANE,
                after.controlPlaneHeapBytes() - before.controlPlaneHeapBytes());
        results.add("rss", CONTROL_PLANE, "MB", after.controlPlaneBytes() / MEGABYTE);
        perVersion(
                "rss_grown", CONTROL_PLANE, after.controlPlaneBytes() - before.controlPlaneBytes());
        results.add("rss", TEMPORAL, "MB", after.temporalBytes() / MEGABYTE);
        perVersion("rss_grown", TEMPORAL, after.temporalBytes() - before.temporalBytes());
        perVersion(
                "database_grown",
                TEMPORAL,
                after.temporalDatabaseBytes() - before.temporalDatabaseBytes());
        perVersion(
                "database_grown",
                POSTGRES,
                after.postgresDatabaseBytes() - before.postgresDatabaseBytes());
    }

    private void perVersion(String name, String system, long bytes) {
        results.add(name, system, "KB/version", bytes / KILOBYTE / versions);
    }

    /**
     * Adds sizes by kind of workflow: that of the version, which runs on, and those of its
     * children.
     */
    private void histories() {
        Histories histories = Histories.of(stack.temporal().target(), "dataset/bench/alive-");
        if (histories.open() != versions) {
            throw new IllegalStateException(
                    "%d workflows are open, of %d versions".formatted(histories.open(), versions));
        }
        histories
                .byType()
                .forEach(
                        (type, sums) -> {
                            results.add(
                                    "events",
                                    type,
                                    "events/version",
                                    (double) sums.events() / versions);
                            results.add(
                                    "history",
                                    type,
                                    "KB/version",
                                    sums.bytes() / KILOBYTE / versions);
                        });
    }
}
