package dev.forebay.benchmarks;

import dev.forebay.benchmarks.measure.Results;
import dev.forebay.benchmarks.measure.Timing;
import dev.forebay.benchmarks.stack.BenchmarkedMounts;
import dev.forebay.benchmarks.stack.Dataset;
import dev.forebay.benchmarks.stack.Lake;
import dev.forebay.benchmarks.stack.MountTable;
import dev.forebay.benchmarks.stack.Scale;

/** All benchmarks of reading. */
final class DataPlane {
    private final Scale scale;
    private final Lake lake;
    private final MountTable table;
    private final SingleReads single;
    private final WarmReads warm;

    DataPlane(
            Scale scale, Timing timing, BenchmarkedMounts contenders, Lake lake, MountTable table) {
        this.scale = scale;
        this.lake = lake;
        this.table = table;
        this.single = new SingleReads(scale, timing, contenders, lake, table);
        this.warm = new WarmReads(scale, timing, contenders);
    }

    /** Puts all datasets into the lake, and those that are read repeatedly also into the region. */
    void prepare() throws Exception {
        single.prepare();
        for (Dataset dataset : scale.warm()) {
            lake.put(dataset);
            table.mount(dataset);
            table.fill(dataset);
            table.markCached(dataset);
        }
    }

    /**
     * Measures one round of reads that are possible only once.
     *
     * @param number from 0 on
     */
    void once(int number, Results results) throws Exception {
        single.round(number, results);
    }

    /** Measures one round of repeated reads. */
    void warm(int number, Results results) throws Exception {
        warm.round(number, results);
    }
}
