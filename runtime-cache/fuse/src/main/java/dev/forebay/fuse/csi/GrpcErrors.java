package dev.forebay.fuse.csi;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Maps failures to gRPC statuses. This is the only such mapping. */
final class GrpcErrors {

    private static final Logger LOG = LoggerFactory.getLogger(GrpcErrors.class);

    private GrpcErrors() {}

    /**
     * Returns the status of a failure, with its message. Logs failures that are not a {@link
     * ForebayException}.
     */
    static StatusRuntimeException of(Throwable failure) {
        return switch (failure) {
            case StatusRuntimeException status -> status;
            case ForebayException refusal ->
                    status(refusal.code())
                            .withDescription(refusal.getMessage())
                            .asRuntimeException();
            default -> {
                LOG.error("A call failed", failure);
                yield Status.INTERNAL
                        .withDescription(failure.toString())
                        .withCause(failure)
                        .asRuntimeException();
            }
        };
    }

    private static Status status(ErrorCode code) {
        return switch (code.category()) {
            case REFUSED -> Status.INVALID_ARGUMENT;
            case MISSING -> Status.NOT_FOUND;
            case CONFLICT ->
                    code == ErrorCode.ALREADY_EXISTS ? Status.ALREADY_EXISTS : Status.ABORTED;
            case DENIED -> Status.PERMISSION_DENIED;
            case LOST -> Status.DATA_LOSS;
            case FULL -> Status.RESOURCE_EXHAUSTED;
            case UNAVAILABLE -> Status.UNAVAILABLE;
            case INTERNAL -> Status.INTERNAL;
        };
    }
}
