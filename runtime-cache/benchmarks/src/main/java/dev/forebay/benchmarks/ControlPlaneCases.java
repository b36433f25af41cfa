package dev.forebay.benchmarks;

import static dev.forebay.benchmarks.measure.Results.FOREBAY;

import dev.forebay.benchmarks.measure.BenchmarkedSystem;
import dev.forebay.benchmarks.measure.PageCache;
import dev.forebay.benchmarks.measure.Results;
import dev.forebay.benchmarks.stack.ControlPlane;
import dev.forebay.benchmarks.stack.Dataset;
import dev.forebay.benchmarks.stack.Lake;
import dev.forebay.benchmarks.stack.Peers;
import dev.forebay.benchmarks.stack.Scale;
import java.util.List;

/**
 * Compares the time that a caller of {@code ensure} waits with a plain download of the same
 * objects.
 */
record ControlPlaneCases(Scale scale, ControlPlane control, Lake lake, Peers peers) {
    private static final String LARGE = "control-large";
    private static final String SMALL = "control-small";

    List<Dataset> datasets() {
        return List.of(
                new Dataset(LARGE, 4, scale.coldShardBytes()),
                Dataset.small(SMALL, scale.coldFiles()));
    }

    /** Registers the datasets and calls ensure for the first time, which also lists the lake. */
    void first(Results results) throws Exception {
        for (Dataset dataset : datasets()) {
            lake.put(dataset);
            control.register(dataset.name(), Lake.source(dataset));
            PageCache.drop();
            time("ensure_first_", dataset, results, () -> control.ensure(dataset.name()));
        }
    }

    void round(Results results) throws Exception {
        for (Dataset dataset : datasets()) {
            control.evict(dataset.name());
            PageCache.drop();
            rate(FOREBAY, dataset, results, () -> control.ensure(dataset.name()));
            PageCache.drop();
            rate(BenchmarkedSystem.S5CMD.label(), dataset, results, () -> peers.s5cmd(dataset));
            time("ensure_again_", dataset, results, () -> control.ensure(dataset.name()));
        }
    }

    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    private static void time(String name, Dataset dataset, Results results, Work work)
            throws Exception {
        results.add(name + kind(dataset), FOREBAY, "ms", 1e3 * seconds(work));
    }

    private static void rate(String system, Dataset dataset, Results results, Work work)
            throws Exception {
        results.add(
                "prewarm_" + kind(dataset),
                system,
                dataset.unit(),
                dataset.units() / seconds(work));
    }

    private static double seconds(Work work) throws Exception {
        long began = System.nanoTime();
        work.run();
        return (System.nanoTime() - began) / 1e9;
    }

    private static String kind(Dataset dataset) {
        return dataset.isSmall() ? "small" : "large";
    }
}
