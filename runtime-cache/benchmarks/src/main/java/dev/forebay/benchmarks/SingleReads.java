package dev.forebay.benchmarks;

import static dev.forebay.benchmarks.measure.BenchmarkedSystem.GET;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.NGINX;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.ON_DEMAND;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.RAW;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.RCLONE;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.S3FS;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.S5CMD;

import dev.forebay.benchmarks.measure.BenchmarkedSystem;
import dev.forebay.benchmarks.measure.Command;
import dev.forebay.benchmarks.measure.CpuTime;
import dev.forebay.benchmarks.measure.PageCache;
import dev.forebay.benchmarks.measure.Results;
import dev.forebay.benchmarks.measure.Timing;
import dev.forebay.benchmarks.measure.Timing.Done;
import dev.forebay.benchmarks.measure.Timing.Work;
import dev.forebay.benchmarks.stack.BenchmarkedMounts;
import dev.forebay.benchmarks.stack.Dataset;
import dev.forebay.benchmarks.stack.Lake;
import dev.forebay.benchmarks.stack.MountTable;
import dev.forebay.benchmarks.stack.Scale;
import dev.forebay.benchmarks.stack.Tree;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The benchmarks of reads that are possible only once, because the bytes are on the node
 * afterwards. Each uses new objects.
 */
final class SingleReads {
    private static final int THREADS = 4;

    /** The bytes are in the memory of workers, or in the page cache of the raw directory. */
    private static final ReadCase AT_RANDOM =
            new ReadCase(true, 128 << 10, THREADS, false, PageCache.State.MEMORY);

    private static final String REMOTE_AT_RANDOM = "remote_rand_128k";

    private final Scale scale;
    private final Timing timing;
    private final BenchmarkedMounts contenders;
    private final Lake lake;
    private final MountTable table;

    SingleReads(
            Scale scale, Timing timing, BenchmarkedMounts contenders, Lake lake, MountTable table) {
        this.scale = scale;
        this.timing = timing;
        this.contenders = contenders;
        this.lake = lake;
        this.table = table;
    }

    /**
     * Puts all objects into the lake before the first read, because mounts remember missing files.
     */
    void prepare() throws Exception {
        for (int number = 0; number < scale.warmUps() + scale.rounds(); number++) {
            if (timing.isWanted("cold_large")) {
                for (Dataset dataset : scale.cold(number)) {
                    lake.put(dataset);
                }
            }
            if (timing.isWanted("remote_large")) {
                lake.put(scale.remoteLarge(number));
                lake.put(scale.remoteSmall(number));
            }
            if (isLargeFileWanted() && number == 0) {
                lake.put(scale.firstByte(0));
            } else if (isLargeFileWanted()) {
                lake.copy(scale.firstByte(0), scale.firstByte(number));
            }
        }
    }

    /**
     * Measures each case once.
     *
     * @param number from 0 on; each round reads other objects
     */
    void round(int number, Results results) throws Exception {
        cold(number, results);
        remote(number, results);
        largeFile(number, results);
    }

    private void cold(int number, Results results) throws Exception {
        List<BenchmarkedSystem> who = List.of(S5CMD, ON_DEMAND, RCLONE, S3FS);
        for (Dataset dataset : scale.cold(number)) {
            String name =
                    dataset.isSmall()
                            ? "cold_small"
                            : dataset.files() == 1 ? "cold_file" : "cold_large";
            if (!timing.isWanted(name)) {
                continue;
            }
            table.mount(dataset);
            contenders.awaitShown(dataset);
            timing.measure(
                    name,
                    dataset.unit(),
                    who,
                    number,
                    results,
                    contender ->
                            contender == S5CMD
                                    ? download(dataset)
                                    : contenders.wholeFiles(
                                            contender, dataset, THREADS, PageCache.State.DISK));
        }
    }

    private Optional<Work> download(Dataset dataset) throws Exception {
        PageCache.drop();
        return Optional.of(
                () -> {
                    double before = CpuTime.ofEndedChildren();
                    contenders.peers().s5cmd(dataset);
                    double used = CpuTime.ofEndedChildren() - before;
                    return new Done(dataset.units(), dataset.totalBytes(), used);
                });
    }

    /** Measures a pod that has no byte, with a region that has all bytes. */
    private void remote(int number, Results results) throws Exception {
        List<BenchmarkedSystem> who = List.of(NGINX, ON_DEMAND);
        for (Dataset dataset : List.of(scale.remoteLarge(number), scale.remoteSmall(number))) {
            String name = dataset.isSmall() ? "remote_small" : "remote_large";
            if (!timing.isWanted(name)) {
                continue;
            }
            table.mount(dataset);
            table.fill(dataset);
            contenders.awaitShown(dataset);
            timing.measure(
                    name,
                    dataset.unit(),
                    who,
                    number,
                    results,
                    contender -> {
                        if (contender == NGINX) {
                            return curl(dataset);
                        }
                        Optional<Work> work =
                                contenders.wholeFiles(
                                        contender, dataset, THREADS, PageCache.State.DISK);
                        Tree.read(1, contenders.chunks(table.packs(dataset)));
                        return work;
                    });
        }
    }

    private Optional<Work> curl(Dataset dataset) throws Exception {
        String[] command = contenders.peers().curl(dataset);
        PageCache.drop();
        Tree.read(1, Tree.files(contenders.root(RAW, dataset)));
        return Optional.of(
                () -> {
                    double before = CpuTime.ofEndedChildren();
                    Command.run(command);
                    double used = CpuTime.ofEndedChildren() - before;
                    return new Done(dataset.units(), dataset.totalBytes(), used);
                });
    }

    /**
     * Measures one large file. At first the region has no byte of it. Then the region has the whole
     * file, and the pod only the range that it fetched for the first byte.
     */
    private void largeFile(int number, Results results) throws Exception {
        if (!isLargeFileWanted()) {
            return;
        }
        Dataset dataset = scale.firstByte(number);
        table.mount(dataset);
        contenders.awaitShown(dataset);
        firstByte(dataset, number, results);
        // Completes the fill, so that reads ahead of that byte do not disturb the next case.
        table.fill(dataset);
        remoteAtRandom(dataset, number, results);
    }

    private boolean isLargeFileWanted() {
        return timing.isWanted("first_byte") || timing.isWanted(REMOTE_AT_RANDOM);
    }

    private void firstByte(Dataset dataset, int number, Results results) throws Exception {
        List<BenchmarkedSystem> who = List.of(GET, ON_DEMAND);
        for (BenchmarkedSystem contender : timing.inTurn("first_byte", who, number)) {
            Path file =
                    contender == GET
                            ? lake.directory()
                            : contenders
                                    .root(contender, dataset)
                                    .resolve(dataset.paths().getFirst());
            PageCache.drop();
            // Opens the connection and looks up the file before the clock starts.
            int _ = lake.firstByte(scale.warm().getFirst());
            boolean _ = Files.exists(file);
            long began = System.nanoTime();
            if (contender == GET) {
                int _ = lake.firstByte(dataset);
            } else {
                try (InputStream in = Files.newInputStream(file)) {
                    int _ = in.read();
                }
            }
            results.add("first_byte", contender.label(), "ms", (System.nanoTime() - began) / 1e6);
        }
    }

    private void remoteAtRandom(Dataset dataset, int number, Results results) throws Exception {
        timing.measure(
                REMOTE_AT_RANDOM,
                AT_RANDOM.unit(),
                List.of(RAW, ON_DEMAND),
                number,
                results,
                contender -> {
                    List<Path> files =
                            BenchmarkedMounts.files(contenders.root(contender, dataset), dataset);
                    PageCache.drop();
                    Tree.read(
                            1, contender == RAW ? files : contenders.chunks(table.packs(dataset)));
                    return Optional.of(() -> AT_RANDOM.done(files, scale.divisor()));
                });
    }
}
