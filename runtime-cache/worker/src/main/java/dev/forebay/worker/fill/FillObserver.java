package dev.forebay.worker.fill;

/** Told what fills do. Implementations are quick and never throw. */
public interface FillObserver {

    /** One request to the lake ended; {@code bytes} is 0 if it failed. */
    void lakeRequest(String outcome, long bytes);

    /** One other worker was asked; {@code bytes} is 0 if it had nothing or failed. */
    void peerRequest(String outcome, long bytes);

    /** One other region was asked; {@code bytes} is 0 if it had nothing or failed. */
    void siblingRequest(String outcome, long bytes);

    /** A chunk was filled, or not. */
    void filled(String outcome, long nanos);
}
