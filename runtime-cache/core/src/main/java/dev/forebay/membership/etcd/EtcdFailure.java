package dev.forebay.membership.etcd;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.etcd.jetcd.common.exception.EtcdException;
import io.grpc.Status;
import java.nio.channels.UnresolvedAddressException;

/**
 * Maps failed calls of etcd to {@link ErrorCode}s; {@code docs/failures.md}, "What etcd answers",
 * has the table. A failure that may pass by itself is {@code UNAVAILABLE}.
 */
final class EtcdFailure {

    /** The message of gRPC's server for a request that is too large for it to decode. */
    private static final String TOO_LARGE = "received message larger than max";

    private EtcdFailure() {}

    static ForebayException of(Throwable failure) {
        Status.Code status = status(failure);
        String said = "etcd: " + reason(failure);
        return switch (status) {
            case NOT_FOUND -> new ForebayException(ErrorCode.NOT_FOUND, said, failure);
            case PERMISSION_DENIED, UNAUTHENTICATED -> denied(said, failure);
            case INVALID_ARGUMENT -> invalid(said, failure);
            case RESOURCE_EXHAUSTED ->
                    said.contains(TOO_LARGE)
                            ? refused(said, failure)
                            : new ForebayException(ErrorCode.UNAVAILABLE, said, failure);
            case UNIMPLEMENTED ->
                    refused(said + ": check that forebay.etcd.endpoints is an etcd 3.6", failure);
            case OUT_OF_RANGE,
                    UNAVAILABLE,
                    DEADLINE_EXCEEDED,
                    CANCELLED,
                    ABORTED,
                    ALREADY_EXISTS,
                    FAILED_PRECONDITION,
                    DATA_LOSS,
                    INTERNAL,
                    UNKNOWN,
                    OK ->
                    new ForebayException(ErrorCode.UNAVAILABLE, said, failure);
        };
    }

    private static ForebayException invalid(String said, Throwable failure) {
        // A user or a role has just been changed.
        if (said.contains("revision of auth store is old")) {
            return new ForebayException(ErrorCode.UNAVAILABLE, said, failure);
        }
        // etcd answers this way if it has users and the certificate names none.
        return said.contains("user name") || said.contains("authentication")
                ? denied(said, failure)
                : refused(said, failure);
    }

    private static ForebayException denied(String said, Throwable failure) {
        return new ForebayException(
                ErrorCode.DENIED,
                said
                        + ": allow the user of forebay.etcd.tls.certificate to read and write "
                        + "below /forebay",
                failure);
    }

    /** Returns a failure that is never retried: etcd refuses the same request each time. */
    private static ForebayException refused(String said, Throwable failure) {
        return ForebayException.givenUp(ErrorCode.INTERNAL, said, failure);
    }

    /** Jetcd's codes are those of gRPC. */
    private static Status.Code status(Throwable failure) {
        return failure instanceof EtcdException refused
                ? Status.Code.valueOf(refused.getErrorCode().name())
                : Status.fromThrowable(failure).getCode();
    }

    /**
     * Returns the message with its root cause. After a failed handshake, gRPC's own message says
     * only that there was an I/O exception.
     */
    private static String reason(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        if (root instanceof UnresolvedAddressException) {
            return "cannot resolve a host name of forebay.etcd.endpoints: check the name servers "
                    + "of this machine";
        }
        return root == failure
                ? String.valueOf(failure.getMessage())
                : failure.getMessage() + ": " + root;
    }
}
