package dev.forebay.benchmarks;

import static dev.forebay.benchmarks.measure.BenchmarkedSystem.JNR;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.KERNEL;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.NATIVE;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.NATIVE_LOOPS;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.ON_DEMAND;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.RAW;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.RCLONE;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.S3FS;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.STOCK;

import dev.forebay.benchmarks.measure.BenchmarkedSystem;
import dev.forebay.benchmarks.measure.PageCache;
import dev.forebay.benchmarks.measure.Results;
import dev.forebay.benchmarks.measure.Timing;
import dev.forebay.benchmarks.measure.Timing.Done;
import dev.forebay.benchmarks.measure.Timing.Work;
import dev.forebay.benchmarks.stack.BenchmarkedMounts;
import dev.forebay.benchmarks.stack.Scale;
import dev.forebay.benchmarks.stack.Tree;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The benchmarks of repeated reads, whose bytes are on the node. */
final class WarmReads {
    private static final List<BenchmarkedSystem> ALL =
            List.of(RAW, NATIVE, ON_DEMAND, KERNEL, JNR, STOCK, RCLONE, S3FS);

    /** The contenders with known backing files, which can be read into the page cache. */
    private static final List<BenchmarkedSystem> OVER_FILES = ALL.subList(0, ALL.indexOf(RCLONE));

    /** An image that is mounted from files does not support O_DIRECT. */
    private static final List<BenchmarkedSystem> DIRECT =
            List.of(RAW, NATIVE_LOOPS, KERNEL, JNR, STOCK);

    /** These have no daemon in the path, so only noise makes their speeds differ. */
    private static final Set<BenchmarkedSystem> WITHOUT_DAEMON =
            EnumSet.of(RAW, NATIVE, NATIVE_LOOPS);

    /**
     * If the work took a hundredth of a second, the start of threads would be a large part of it.
     */
    private static final Duration LEAST = Duration.ofMillis(500);

    private static final int THREADS = 4;

    private final Scale scale;
    private final Timing timing;
    private final BenchmarkedMounts contenders;

    WarmReads(Scale scale, Timing timing, BenchmarkedMounts contenders) {
        this.scale = scale;
        this.timing = timing;
        this.contenders = contenders;
    }

    /** Measures each case once, and some more often. */
    void round(int number, Results results) throws Exception {
        for (ReadCase read : ReadCase.all()) {
            List<BenchmarkedSystem> who =
                    read.direct()
                            ? DIRECT
                            : read.state() == PageCache.State.DISK ? ALL : OVER_FILES;
            timing.measure(
                    read.name(),
                    read.unit(),
                    sampled(who),
                    number,
                    results,
                    contender -> {
                        Path root = contenders.root(contender, scale.large());
                        List<Path> files = Tree.files(root);
                        if (!read.isPossible(files.getFirst())) {
                            return Optional.empty();
                        }
                        contenders.bring(read.state(), contender, scale.large());
                        return Optional.of(
                                lasting(
                                        contender,
                                        read.state(),
                                        () -> read.done(files, scale.divisor())));
                    });
        }
        for (int threads : List.of(1, THREADS)) {
            for (PageCache.State state : PageCache.State.values()) {
                timing.measure(
                        "small_t%d_%s".formatted(threads, state.label()),
                        scale.small().unit(),
                        sampled(state == PageCache.State.DISK ? ALL : OVER_FILES),
                        number,
                        results,
                        contender ->
                                contenders
                                        .wholeFiles(contender, scale.small(), threads, state)
                                        .map(work -> lasting(contender, state, work)));
            }
        }
        timing.measure(
                "walk",
                "entries/s",
                sampled(ALL),
                number,
                results,
                contender -> {
                    Path root = contenders.root(contender, scale.small());
                    PageCache.drop();
                    return Optional.of(() -> new Done(Tree.walk(root), 0, 0));
                });
    }

    /**
     * Returns the contenders, with those without a daemon several times. Each of their measurements
     * is short, so their figures vary most, and their goals are the strictest.
     */
    private List<BenchmarkedSystem> sampled(List<BenchmarkedSystem> who) {
        List<BenchmarkedSystem> all = new ArrayList<>(who);
        for (int sample = 1; sample < scale.samples(); sample++) {
            who.stream().filter(WITHOUT_DAEMON::contains).forEach(all::add);
        }
        return all;
    }

    /**
     * Repeats the work for half a second where a repetition starts from the same state: all bytes
     * are in the contender's own pages.
     */
    private static Work lasting(BenchmarkedSystem contender, PageCache.State state, Work work) {
        if (state == PageCache.State.DISK || !WITHOUT_DAEMON.contains(contender)) {
            return work;
        }
        return () -> {
            long began = System.nanoTime();
            Done done = work.run();
            while (System.nanoTime() - began < LEAST.toNanos()) {
                done = done.plus(work.run());
            }
            return done;
        };
    }
}
