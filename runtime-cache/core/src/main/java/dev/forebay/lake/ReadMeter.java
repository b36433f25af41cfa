package dev.forebay.lake;

/**
 * Counts the requests of a read for billing, including failed requests and retries. Implementations
 * return quickly, are thread-safe, and never throw.
 */
public interface ReadMeter {

    /** Counts nothing. */
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
     * Called before a request for so many bytes is sent. Exactly one of the other methods follows,
     * unless the process ends before.
     */
    void asking(long bytes);

    /**
     * Called when the request has ended, with success or not.
     *
     * @param bytes how many bytes were requested
     * @param came how many bytes of the body arrived
     */
    void answered(long bytes, long came);

    /**
     * Called when the request did not leave this machine because there was no connection to the
     * lake.
     */
    void notAsked(long bytes);
}
