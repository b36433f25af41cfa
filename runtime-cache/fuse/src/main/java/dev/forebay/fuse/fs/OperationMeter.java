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

    /** An operation ended, well or not. */
    void ended(Operation operation, long nanos);

    /** Something could not be served. */
    void failed(Operation operation, ErrorCode code);
}
