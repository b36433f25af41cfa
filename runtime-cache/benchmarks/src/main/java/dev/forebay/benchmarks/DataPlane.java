package dev.forebay.benchmarks;

import static dev.forebay.benchmarks.Contender.GET;
import static dev.forebay.benchmarks.Contender.JNR;
import static dev.forebay.benchmarks.Contender.KERNEL;
import static dev.forebay.benchmarks.Contender.NATIVE;
import static dev.forebay.benchmarks.Contender.NATIVE_LOOPS;
import static dev.forebay.benchmarks.Contender.NGINX;
import static dev.forebay.benchmarks.Contender.ON_DEMAND;
import static dev.forebay.benchmarks.Contender.RAW;
import static dev.forebay.benchmarks.Contender.RCLONE;
import static dev.forebay.benchmarks.Contender.S3FS;
import static dev.forebay.benchmarks.Contender.S5CMD;
import static dev.forebay.benchmarks.Contender.STOCK;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * The cases of reading. In a round each is measured for all contenders directly after one another,
 * in an order that changes from case to case and from round to round.
 */
final class DataPlane {
    private static final List<Contender> ALL =
            List.of(RAW, NATIVE, ON_DEMAND, KERNEL, JNR, STOCK, RCLONE, S3FS);

    /** Those whose backing files are known, and so can be brought into memory. */
    private static final List<Contender> OVER_FILES = ALL.subList(0, ALL.indexOf(RCLONE));

    /** An image that is mounted from files cannot be opened with O_DIRECT. */
    private static final List<Contender> DIRECT = List.of(RAW, NATIVE_LOOPS, KERNEL, JNR, STOCK);

    private static final int THREADS = 4;

    /** Of what is in memory: of workers, or where the raw directory is. */
    private static final ReadCase AT_RANDOM =
            new ReadCase(true, 128 << 10, THREADS, false, PageCache.State.MEMORY);

    private static final String REMOTE_AT_RANDOM = "remote_rand_128k";
    private static final double GIGABYTE = 1e9;

    private final Scale scale;
    private final Selection selection;
    private final Contenders contenders;
    private final Lake lake;
    private final MountTable table;

    DataPlane(
            Scale scale, Selection selection, Contenders contenders, Lake lake, MountTable table) {
        this.scale = scale;
        this.selection = selection;
        this.contenders = contenders;
        this.lake = lake;
        this.table = table;
    }

    /** What one contender does in a case; returns the processor seconds of the reader. */
    @FunctionalInterface
    private interface Work {
        Done run() throws Exception;
    }

    private record Done(double units, long bytes, double readerCpuSeconds) {}

    /** Something done before the clock starts; nothing if the contender cannot do it. */
    @FunctionalInterface
    private interface Preparation {
        Optional<Work> of(Contender contender) throws Exception;
    }

    /**
     * Puts everything into the lake, for mounts remember what they have not found there, and what
     * is read again and again into the region.
     */
    void prepare() throws Exception {
        for (int number = 0; number < scale.warmUps() + scale.rounds(); number++) {
            if (isWanted("cold_large")) {
                lake.put(scale.coldLarge(number));
                lake.put(scale.coldSmall(number));
            }
            if (isWanted("remote_large")) {
                lake.put(scale.remoteLarge(number));
                lake.put(scale.remoteSmall(number));
            }
            if (isLargeFileWanted() && number == 0) {
                lake.put(scale.firstByte(0));
            } else if (isLargeFileWanted()) {
                lake.copy(scale.firstByte(0), scale.firstByte(number));
            }
        }
        for (Dataset dataset : scale.warm()) {
            lake.put(dataset);
            table.mount(dataset);
            table.fill(dataset);
            table.markCached(dataset);
        }
    }

    /**
     * A round of what can be read once only.
     *
     * @param number from 0 on: other objects in every round
     */
    void once(int number, Results results) throws Exception {
        cold(number, results);
        remote(number, results);
        largeFile(number, results);
    }

    /** A round of what is read again and again. */
    void warm(int number, Results results) throws Exception {
        for (ReadCase read : ReadCase.all()) {
            List<Contender> who =
                    read.direct()
                            ? DIRECT
                            : read.state() == PageCache.State.DISK ? ALL : OVER_FILES;
            measure(
                    read.name(),
                    read.unit(),
                    who,
                    number,
                    results,
                    contender -> {
                        Path root = contenders.root(contender, scale.large());
                        List<Path> files = Tree.files(root);
                        if (!read.isPossible(files.getFirst())) {
                            return Optional.empty();
                        }
                        PageCache.bring(read.state(), contenders.backing(contender, scale.large()));
                        return Optional.of(() -> done(read, files));
                    });
        }
        for (int threads : List.of(1, THREADS)) {
            for (PageCache.State state : PageCache.State.values()) {
                measure(
                        "small_t%d_%s".formatted(threads, state.label()),
                        scale.small().unit(),
                        state == PageCache.State.DISK ? ALL : OVER_FILES,
                        number,
                        results,
                        contender -> wholeFiles(contender, scale.small(), threads, state));
            }
        }
        measure(
                "walk",
                "entries/s",
                ALL,
                number,
                results,
                contender -> {
                    Path root = contenders.root(contender, scale.small());
                    PageCache.drop();
                    return Optional.of(() -> new Done(Tree.walk(root), 0, 0));
                });
    }

    private Done done(ReadCase read, List<Path> files) throws Exception {
        ReadCase.Outcome outcome = read.read(files, scale.divisor());
        return new Done(read.units(outcome), outcome.bytes(), outcome.readerCpuSeconds());
    }

    private Optional<Work> wholeFiles(
            Contender contender, Dataset dataset, int threads, PageCache.State state)
            throws Exception {
        Path root = contenders.root(contender, dataset);
        List<Path> files = files(root, dataset);
        PageCache.bring(state, contenders.backing(contender, dataset));
        return Optional.of(
                () -> {
                    Tree.Read read = Tree.read(threads, files);
                    if (read.bytes() != dataset.totalBytes()) {
                        throw new IllegalStateException(root + " is not complete");
                    }
                    return new Done(dataset.units(), read.bytes(), read.cpuSeconds());
                });
    }

    /** Not by listing it: that would already make the first requests for what is cold. */
    private static List<Path> files(Path root, Dataset dataset) {
        return dataset.paths().stream().map(root::resolve).toList();
    }

    private void cold(int number, Results results) throws Exception {
        List<Contender> who = List.of(S5CMD, ON_DEMAND, RCLONE, S3FS);
        for (Dataset dataset : List.of(scale.coldLarge(number), scale.coldSmall(number))) {
            String name = dataset.isSmall() ? "cold_small" : "cold_large";
            if (!isWanted(name)) {
                continue;
            }
            table.mount(dataset);
            contenders.awaitShown(dataset);
            measure(
                    name,
                    dataset.unit(),
                    who,
                    number,
                    results,
                    contender ->
                            contender == S5CMD
                                    ? download(dataset)
                                    : wholeFiles(
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
            if (!isWanted(name)) {
                continue;
            }
            table.mount(dataset);
            table.fill(dataset);
            contenders.awaitShown(dataset);
            measure(
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
                                wholeFiles(contender, dataset, THREADS, PageCache.State.DISK);
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
        return isWanted("first_byte") || isWanted(REMOTE_AT_RANDOM);
    }

    private void firstByte(Dataset dataset, int number, Results results) throws Exception {
        List<Contender> who = List.of(GET, ON_DEMAND);
        for (Contender contender : shuffled(selection.of("first_byte", who), number)) {
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
        measure(
                REMOTE_AT_RANDOM,
                AT_RANDOM.unit(),
                List.of(RAW, ON_DEMAND),
                number,
                results,
                contender -> {
                    List<Path> files = files(contenders.root(contender, dataset), dataset);
                    PageCache.drop();
                    Tree.read(
                            1, contender == RAW ? files : contenders.chunks(table.packs(dataset)));
                    return Optional.of(() -> done(AT_RANDOM, files));
                });
    }

    private void measure(
            String name,
            String unit,
            List<Contender> who,
            int number,
            Results results,
            Preparation preparation)
            throws Exception {
        List<Contender> measured = shuffled(selection.of(name, who), name.hashCode() + number);
        if (!measured.isEmpty()) {
            Benchmarks.say("  " + name);
        }
        for (Contender contender : measured) {
            Optional<Work> possible = preparation.of(contender);
            if (possible.isEmpty()) {
                results.refused(name, contender.label(), "O_DIRECT is refused with EINVAL");
                continue;
            }
            Work work = possible.get();
            List<Long> processes = contenders.processes(contender);
            FreeMemory.takeBack();
            double cpu = CpuTime.of(processes);
            long began = System.nanoTime();
            Done done = work.run();
            double seconds = (System.nanoTime() - began) / 1e9;
            if (done.bytes == 0) {
                results.add(name, contender.label(), unit, done.units / seconds);
            } else {
                cpu = CpuTime.of(processes) - cpu + done.readerCpuSeconds;
                results.add(
                        name,
                        contender.label(),
                        unit,
                        done.units / seconds,
                        cpu * GIGABYTE / done.bytes);
            }
        }
    }

    private boolean isWanted(String name) {
        return !selection.of(name, List.of(Contender.values())).isEmpty();
    }

    /** In another order each time, for what was just measured may be at the next one's cost. */
    private static List<Contender> shuffled(List<Contender> who, long seed) {
        List<Contender> order = new ArrayList<>(who);
        Collections.shuffle(order, new Random(seed));
        return order;
    }
}
