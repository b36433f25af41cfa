package dev.forebay.lake;

/**
 * Listener for failed attempts of requests to the lake. Implementations return quickly and never
 * throw.
 */
@FunctionalInterface
public interface LakeEvents {

    /** Ignores all events. */
    LakeEvents NONE = throttled -> {};

    /**
     * Called when an attempt failed and a retry may succeed. A retry usually follows.
     *
     * @param throttled whether the lake reported too many requests
     */
    void attemptFailed(boolean throttled);
}
