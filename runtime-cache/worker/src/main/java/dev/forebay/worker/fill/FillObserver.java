package dev.forebay.worker.fill;

/** Receives fill events for metrics. Implementations are quick and never throw. */
public interface FillObserver {

    /** Records the end of one lake request. {@code bytes} is 0 if it failed. */
    void lakeRequest(String outcome, long bytes);

    /** Records one request to another worker. {@code bytes} is 0 on a miss or failure. */
    void peerRequest(String outcome, long bytes);

    /** Records one request to a sibling region. {@code bytes} is 0 on a miss or failure. */
    void siblingRequest(String outcome, long bytes);

    /** Records the end of a fill, successful or not. */
    void filled(String outcome, long nanos);
}
