package dev.forebay.worker.http;

import dev.forebay.transfer.Source;

/**
 * Receives an event for every answered request, for metrics. Implementations are quick and never
 * throw.
 */
public interface RequestObserver {

    /**
     * Records the end of a request.
     *
     * @param outcome {@code ok}, {@code aborted} or the name of an error, from a bounded set
     */
    void answered(Operation operation, String outcome, long nanos);

    /** Records bytes of a pack that are sent. */
    void served(Source source, long bytes);
}
