package dev.forebay.system;

/**
 * A stack of one region, whose only worker has capacity for {@link #CHUNKS} chunks. Its high
 * watermark is 1, so sweeps do not evict for space.
 */
final class NarrowStack extends JvmStack {

    static final String REGION = RunningStack.VIRGINIA;
    static final int CHUNK = 8 << 20;
    static final int CHUNKS = 16;

    /** Bytes that the chunk store needs with each chunk. */
    static final long FOOTER = 4096;

    private static final class Holder {
        static final RunningStack STACK =
                start(
                        "narrow",
                        config ->
                                config.regions(REGION)
                                        .workersPerRegion(1)
                                        .workerCapacity(CHUNKS * (CHUNK + FOOTER))
                                        .property("forebay.sweep.high-watermark", "1"));
    }

    @Override
    RunningStack stack() {
        return Holder.STACK;
    }
}
