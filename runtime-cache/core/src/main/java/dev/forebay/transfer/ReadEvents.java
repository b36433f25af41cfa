package dev.forebay.transfer;

import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;

/** Hears what a {@link RegionReader} does, for metrics and logs. Called on the reading thread. */
public interface ReadEvents {

    /** Hears nothing. */
    ReadEvents NONE =
            new ReadEvents() {
                @Override
                public void answered(WorkerNode worker, ReadAnswer answer) {}

                @Override
                public void failedAttempt(WorkerNode worker, ForebayException failure) {}

                @Override
                public void hedged(WorkerNode worker, boolean won) {}
            };

    /** A worker gave bytes that are right. */
    void answered(WorkerNode worker, ReadAnswer answer);

    /** A worker failed; perhaps another one can. */
    void failedAttempt(WorkerNode worker, ForebayException failure);

    /**
     * A second worker was asked because the first one let wait.
     *
     * @param won whether it had the bytes and sent them before the first one did
     */
    void hedged(WorkerNode worker, boolean won);
}
