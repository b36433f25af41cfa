package dev.forebay.transfer;

import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;

/**
 * Receives the events of a {@link RegionReader}, for metrics and logs. The reading thread calls it.
 */
public interface ReadEvents {

    /** Ignores all events. */
    ReadEvents NONE =
            new ReadEvents() {
                @Override
                public void answered(WorkerNode worker, ReadAnswer answer) {}

                @Override
                public void failedAttempt(WorkerNode worker, ForebayException failure) {}

                @Override
                public void hedged(WorkerNode worker, boolean won) {}
            };

    /** A worker sent bytes that passed verification. */
    void answered(WorkerNode worker, ReadAnswer answer);

    /** A worker failed. Another one may succeed. */
    void failedAttempt(WorkerNode worker, ForebayException failure);

    /**
     * A second worker was asked because the first one was slow.
     *
     * @param won whether it had the bytes and sent them before the first one did
     */
    void hedged(WorkerNode worker, boolean won);
}
