package dev.forebay.worker.http;

import dev.forebay.transfer.Source;

/** Told of every request that was answered. Implementations are quick and never throw. */
public interface RequestObserver {

    /**
     * A request is done.
     *
     * @param outcome {@code ok}, {@code aborted} or a bounded name of what went wrong
     */
    void answered(Operation operation, String outcome, long nanos);

    /** Bytes of a pack went out. */
    void served(Source source, long bytes);
}
