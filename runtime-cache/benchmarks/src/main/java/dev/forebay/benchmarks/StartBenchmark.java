package dev.forebay.benchmarks;

import dev.forebay.benchmarks.measure.CompilerTime;
import dev.forebay.benchmarks.measure.CpuTime;
import dev.forebay.benchmarks.measure.MachineFacts;
import dev.forebay.benchmarks.measure.Results;
import dev.forebay.benchmarks.stack.Dataset;
import dev.forebay.benchmarks.stack.Lake;
import dev.forebay.benchmarks.stack.MountTable;
import dev.forebay.devstack.mount.Mounts;
import dev.forebay.devstack.program.AotCache;
import dev.forebay.devstack.program.JavaCommand;
import dev.forebay.devstack.program.Program;
import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.OneProcessServer;
import dev.forebay.devstack.server.ServerProcess;
import dev.forebay.devstack.stack.Region;
import dev.forebay.devstack.stack.Stack;
import dev.forebay.devstack.stack.StackConfig;
import dev.forebay.devstack.stack.StackOnDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Measures the start of each program, and the time of the compilers while a new worker fills its
 * first gigabyte. The environment variable {@code FOREBAY_AOT_MODE} selects whether the programs
 * use their AOT caches; {@code make bench-start} measures both. Prints a table and writes {@code
 * target/bench/start-<mode>.json}.
 */
public final class StartBenchmark {
    private static final String REGION = "bench";
    private static final int ROUNDS = 5;
    private static final int LARGE_FILES = 8;
    private static final int LARGE_BYTES = 64 << 20;
    private static final int SMALL_FILES = 5_000;

    private final String mode = AotCache.Mode.ofEnvironment().name();
    private final Results results = new Results(List.of());
    private final Path data;

    private StartBenchmark(Path data) {
        this.data = data;
    }

    /** Runs it; it takes no arguments. */
    public static void main(String[] arguments) throws Exception {
        Path output = Files.createDirectories(Path.of("target", "bench").toAbsolutePath());
        Path data = Files.createTempDirectory(output, "start-");
        Map<String, Object> circumstances = MachineFacts.atStart();
        StartBenchmark benchmark = new StartBenchmark(data);
        benchmark.run();
        try (Stream<Path> all = Files.walk(data)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
        MachineFacts.atEnd(circumstances);
        benchmark.results.write(
                output.resolve("start-%s.json".formatted(benchmark.mode)), circumstances);
        System.out.println(benchmark.results.table());
    }

    private void run() throws Exception {
        StackConfig config =
                StackConfig.inDirectory(data.resolve("stack"))
                        .regions(REGION)
                        .workersPerRegion(1)
                        // The scrubber's work would count as measured work.
                        .property("forebay.worker.scrub.bytes-per-second", "0")
                        .build();
        try (Stack stack = Stack.start(config)) {
            Region region = stack.region(REGION);
            Map<String, OneProcessServer> programs = new LinkedHashMap<>();
            programs.put("worker", region.worker(0));
            programs.put("agent", region.agent());
            programs.put("control plane", stack.controlPlane());
            programs.put("pod", region.fuse());
            for (int round = 0; round < ROUNDS; round++) {
                for (Map.Entry<String, OneProcessServer> each : programs.entrySet()) {
                    start(each.getKey(), each.getValue());
                }
                startHolder(round);
            }
            // Its sweeps would evict mounts that belong to no version workflow.
            stack.controlPlane().kill9();
            fill(stack, region);
        }
    }

    private void start(String name, OneProcessServer program) throws IOException {
        program.kill9();
        long began = System.nanoTime();
        program.restart();
        note("start of " + name, began, program.pid());
    }

    private void startHolder(int round) throws IOException {
        Path directory = Files.createDirectories(data.resolve("holder-" + round));
        Path mountpoint = Files.createDirectories(directory.resolve("mnt"));
        List<String> command =
                new ArrayList<>(
                        JavaCommand.of(Program.HOLDER, Program.HOLDER.jar(StackOnDisk.repository()))
                                .options("-Xmx32m")
                                .build());
        command.addAll(List.of("hold", "--holder", directory.resolve("held").toString()));
        command.addAll(List.of("--mountpoint", mountpoint.toString()));
        long began = System.nanoTime();
        ServerProcess holder =
                ServerProcess.start(
                        Launch.of(
                                "holder",
                                directory,
                                command,
                                Map.of(),
                                () -> Mounts.isMounted(mountpoint),
                                Launch.Lifetime.THIS_JVM));
        note("start of holder", began, holder.pid());
        holder.close();
        if (Mounts.isMounted(mountpoint)) {
            Mounts.detach(mountpoint);
        }
    }

    private void note(String name, long began, long process) throws IOException {
        results.add(name, mode, "s until ready", (System.nanoTime() - began) / 1e9);
        results.add(name, mode, "CPU s", CpuTime.of(List.of(process)));
    }

    /** Makes a new worker fill half a gigabyte of large objects and as much of small ones. */
    private void fill(Stack stack, Region region) throws Exception {
        try (Lake lake = new Lake(stack.lake(), data);
                MountTable table = new MountTable(region, stack.lake(), data)) {
            for (int round = 0; round < ROUNDS; round++) {
                Dataset large = new Dataset("large-" + round, LARGE_FILES, LARGE_BYTES);
                Dataset small = Dataset.small("small-" + round, SMALL_FILES);
                lake.put(large);
                lake.put(small);
                table.mount(large);
                table.mount(small);
                OneProcessServer worker = region.worker(0);
                worker.kill9();
                worker.restart();
                double cpu = CpuTime.of(List.of(worker.pid()));
                double compilers = CompilerTime.of(worker.pid());
                table.fill(large);
                table.fill(small);
                results.add(
                        "first GB of a worker",
                        mode,
                        "CPU s of compilers",
                        CompilerTime.of(worker.pid()) - compilers);
                results.add(
                        "first GB of a worker",
                        mode,
                        "CPU s",
                        CpuTime.of(List.of(worker.pid())) - cpu);
            }
        }
    }
}
