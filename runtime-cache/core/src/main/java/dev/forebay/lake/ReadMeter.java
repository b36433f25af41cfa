package dev.forebay.lake;

/**
 * Hears of every request that a read costs, failed ones and repetitions included: what the lake
 * bills. Implementations are quick, safe for use by many threads, and never throw.
 */
public interface ReadMeter {

    /** Hears nothing. */
    ReadMeter NONE =
            new ReadMeter() {
                @Override
                public void asking(long bytes) {}

                @Override
                public void answered(long bytes, long came) {}

                @Override
                public void notAsked(long bytes) {}
            };

    /**
     * A request for so many bytes is about to be sent. Exactly one of the others follows, unless
     * the process ends before.
     */
    void asking(long bytes);

    /**
     * The request has ended, whatever became of it.
     *
     * @param bytes how many were asked for
     * @param came how many bytes of a body came
     */
    void answered(long bytes, long came);

    /** The request did not leave this machine: there was no connection to the lake. */
    void notAsked(long bytes);
}
