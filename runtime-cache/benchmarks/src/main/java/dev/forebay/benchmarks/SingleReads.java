package dev.forebay.benchmarks;

import static dev.forebay.benchmarks.Contender.GET;
import static dev.forebay.benchmarks.Contender.NGINX;
import static dev.forebay.benchmarks.Contender.ON_DEMAND;
import static dev.forebay.benchmarks.Contender.RAW;
import static dev.forebay.benchmarks.Contender.RCLONE;
import static dev.forebay.benchmarks.Contender.S3FS;
import static dev.forebay.benchmarks.Contender.S5CMD;

import dev.forebay.benchmarks.Timing.Done;
import dev.forebay.benchmarks.Timing.Work;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The cases of what can be read once only, for then it is on the node: other objects each time. */
final class SingleReads {
    private static final int THREADS = 4;

    /** Of what is in memory: of workers, or where the raw directory is. */
    private static final ReadCase AT_RANDOM =
            new ReadCase(true, 128 << 10, THREADS, false, PageCache.State.MEMORY);

    private static final String REMOTE_AT_RANDOM = "remote_rand_128k";

    private final Scale scale;
    private final Timing timing;
    private final Contenders contenders;
    private final Lake lake;
    private final MountTable table;

    SingleReads(Scale scale, Timing timing, Contenders contenders, Lake lake, MountTable table) {
        this.scale = scale;
        this.timing = timing;
        this.contenders = contenders;
        this.lake = lake;
        this.table = table;
    }

    /** Puts all objects into the lake, for mounts remember what they have not found there. */
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
     * Measures each once.
     *
     * @param number from 0 on: other objects in every round
     */
    void round(int number, Results results) throws Exception {
        cold(number, results);
        remote(number, results);
        largeFile(number, results);
    }

    private void cold(int number, Results results) throws Exception {
        List<Contender> who = List.of(S5CMD, ON_DEMAND, RCLONE, S3FS);
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

    /** Read by a pod that has nothing of it, from the region that has all of it. */
    private void remote(int number, Results results) throws Exception {
        List<Contender> who = List.of(NGINX, ON_DEMAND);
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
     * One file, of which nothing is in the region at first. Then all of it is, and the pod still
     * has no more than it brought for the first byte.
     */
    private void largeFile(int number, Results results) throws Exception {
        if (!isLargeFileWanted()) {
            return;
        }
        Dataset dataset = scale.firstByte(number);
        table.mount(dataset);
        contenders.awaitShown(dataset);
        firstByte(dataset, number, results);
        // What that byte set going is not to be in the way of what is measured next.
        table.fill(dataset);
        remoteAtRandom(dataset, number, results);
    }

    private boolean isLargeFileWanted() {
        return timing.isWanted("first_byte") || timing.isWanted(REMOTE_AT_RANDOM);
    }

    private void firstByte(Dataset dataset, int number, Results results) throws Exception {
        List<Contender> who = List.of(GET, ON_DEMAND);
        for (Contender contender : timing.inTurn("first_byte", who, number)) {
            Path file =
                    contender == GET
                            ? lake.directory()
                            : contenders
                                    .root(contender, dataset)
                                    .resolve(dataset.paths().getFirst());
            PageCache.drop();
            // The connection is there, and so are the file's name and size.
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
                            Contenders.files(contenders.root(contender, dataset), dataset);
                    PageCache.drop();
                    Tree.read(
                            1, contender == RAW ? files : contenders.chunks(table.packs(dataset)));
                    return Optional.of(() -> AT_RANDOM.done(files, scale.divisor()));
                });
    }
}
