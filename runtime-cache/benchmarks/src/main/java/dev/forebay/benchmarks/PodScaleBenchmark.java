package dev.forebay.benchmarks;

import dev.forebay.benchmarks.measure.Command;
import dev.forebay.benchmarks.measure.MachineFacts;
import dev.forebay.benchmarks.measure.PageCache;
import dev.forebay.benchmarks.measure.PeakMemory;
import dev.forebay.benchmarks.measure.ProgressLog;
import dev.forebay.benchmarks.measure.Results;
import dev.forebay.benchmarks.stack.Lake;
import dev.forebay.benchmarks.stack.MountTable;
import dev.forebay.benchmarks.stack.SyntheticVersion;
import dev.forebay.devstack.mount.Mounts;
import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.stack.FuseMount;
import dev.forebay.devstack.stack.QuarkusProcess;
import dev.forebay.devstack.stack.Region;
import dev.forebay.devstack.stack.Stack;
import dev.forebay.devstack.stack.StackConfig;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.model.DatasetVersion;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * Mounts a synthetic version in a region and shows it on a pod. Measures the time from the entry in
 * the mount table on, and the memory of pod and workers. The objects are not in the lake, so the
 * benchmark reads only names and attributes. Prints a table and writes {@code
 * target/bench/pod-<objects>.json}. Needs root, for the mount.
 */
public final class PodScaleBenchmark {

    private static final String REGION = "us-east-1";
    private static final DatasetVersion VERSION = DatasetVersion.of("bench", "photos", "v1");
    private static final Duration TIMEOUT = Duration.ofMinutes(20);
    private static final String SYSTEM = "forebay_on_demand";
    private static final double MEGABYTE = 1e6;

    private PodScaleBenchmark() {}

    /** Takes the number of objects, and the number of objects in a folder. */
    public static void main(String[] arguments) throws Exception {
        SyntheticVersion version =
                new SyntheticVersion(
                        Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]));
        PageCache.requireDroppable();
        Path output = Files.createDirectories(Path.of("target", "bench").toAbsolutePath());
        Path data = Files.createTempDirectory(output, "pod-");
        Map<String, Object> circumstances = MachineFacts.atStart();
        circumstances.putAll(version.circumstances());
        Results results = new Results();
        try {
            measure(version, data, results);
        } finally {
            Mounts.below(data).forEach(Mounts::detach);
            Command.run("rm", "-rf", "--one-file-system", data.toString());
        }
        MachineFacts.atEnd(circumstances);
        Path file = output.resolve("pod-%d.json".formatted(version.objects()));
        results.write(file, circumstances);
        System.out.println(results.table());
        ProgressLog.say("written to " + file);
    }

    private static void measure(SyntheticVersion version, Path data, Results results)
            throws Exception {
        StackConfig config =
                StackConfig.inDirectory(data)
                        .regions(REGION)
                        .buckets(Lake.BUCKET)
                        .manifestBucket(Lake.MANIFESTS)
                        .sweepInterval(Benchmarks.NO_SWEEPS)
                        .progress(ProgressLog::say)
                        .build();
        try (Stack stack = Stack.start(config);
                MountTable table = new MountTable(stack.region(REGION), stack.lake(), data)) {
            Region region = stack.region(REGION);
            region.fuse().close();
            ProgressLog.say("writing a manifest of %d objects".formatted(version.objects()));
            ManifestFile manifest =
                    table.freeze(
                            "photos",
                            SyntheticVersion.PREFIX,
                            writer -> version.listing().forEach(writer::add));
            try (FuseMount pod =
                    FuseMount.another(region, data.resolve("pod"), Map.of("--view", "on-demand"))) {
                PageCache.drop();
                long began = System.nanoTime();
                table.mount(VERSION, manifest);
                Path folder = pod.mountpoint().resolve(VERSION.path());
                await(() -> Files.exists(folder.resolve("train")));
                results.add("shown_file_by_file", SYSTEM, "s", secondsSince(began));
                await(() -> Mounts.isMounted(folder));
                results.add("shown_by_its_image", SYSTEM, "s", secondsSince(began));
                find(folder, version, results);
                results.add("pod_peak_rss", SYSTEM, "MB", peakMegabytes(pod.pid()));
                for (QuarkusProcess worker : region.workers()) {
                    results.add("worker_peak_rss", SYSTEM, "MB", peakMegabytes(worker.pid()));
                }
                // With its caches of millions of files, the kernel would unmount for a minute.
                PageCache.drop();
            }
        }
    }

    private static void find(Path folder, SyntheticVersion version, Results results)
            throws Exception {
        ProgressLog.say("listing it");
        long began = System.nanoTime();
        // No file has this size, so find checks every inode and prints nothing.
        Command.run("find", folder.toString(), "-type", "f", "-size", "1c");
        results.add("find_attributes", SYSTEM, "files/s", version.objects() / secondsSince(began));
    }

    private static double peakMegabytes(long pid) throws Exception {
        return PeakMemory.ofProcess(pid) / MEGABYTE;
    }

    private static void await(Readiness condition) throws Exception {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.ready()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("not within " + TIMEOUT);
            }
            Thread.sleep(20);
        }
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }
}
