package dev.forebay.benchmarks;

/** All cases of reading. */
final class DataPlane {
    private final Scale scale;
    private final Lake lake;
    private final MountTable table;
    private final SingleReads single;
    private final WarmReads warm;

    DataPlane(Scale scale, Timing timing, Contenders contenders, Lake lake, MountTable table) {
        this.scale = scale;
        this.lake = lake;
        this.table = table;
        this.single = new SingleReads(scale, timing, contenders, lake, table);
        this.warm = new WarmReads(scale, timing, contenders);
    }

    /** Puts everything into the lake, and what is read again and again into the region, too. */
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
     * A round of what can be read once only.
     *
     * @param number from 0 on
     */
    void once(int number, Results results) throws Exception {
        single.round(number, results);
    }

    /** A round of what is read again and again. */
    void warm(int number, Results results) throws Exception {
        warm.round(number, results);
    }
}
