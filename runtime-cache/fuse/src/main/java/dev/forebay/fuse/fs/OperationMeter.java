package dev.forebay.fuse.fs;

import dev.forebay.model.ErrorCode;

/** Counts operations. Thread-safe. */
public interface OperationMeter {

    OperationMeter NONE =
            new OperationMeter() {
                @Override
                public void ended(Operation operation, long nanos) {}

                @Override
                public void failed(Operation operation, ErrorCode code) {}
            };

    /** Records the end of an operation, successful or not. */
    void ended(Operation operation, long nanos);

    /** Records an operation that could not be served. */
    void failed(Operation operation, ErrorCode code);
}
