package dev.forebay.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A refusal as an RFC 9457 problem, with a code for machines.
 *
 * @param type always {@code about:blank}: {@code code} has the meaning
 * @param detail what happened, to what, and what to do
 * @param retryable whether the same request may succeed later without any change
 * @param field the invalid field, in the form of the request: {@code pin.lease_seconds}
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@Schema(name = "Problem")
public record Problem(
        String type,
        String title,
        int status,
        String detail,
        ErrorCode code,
        boolean retryable,
        @Nullable String field) {

    /** The media type of problems. */
    public static final String MEDIA_TYPE = "application/problem+json";

    private static final int UNPROCESSABLE = 422;
    private static final int INSUFFICIENT_STORAGE = 507;

    static Problem of(ForebayException failure) {
        ErrorCode code = failure.code();
        return new Problem(
                "about:blank",
                title(code),
                status(code),
                String.valueOf(failure.getMessage()),
                code,
                failure.retryable(),
                null);
    }

    static Problem of(ErrorCode code, String detail, @Nullable String field) {
        return of(status(code), code, detail, field);
    }

    static Problem of(int status, ErrorCode code, String detail, @Nullable String field) {
        return new Problem(
                "about:blank", title(code), status, detail, code, code.retryable(), field);
    }

    /** Maps codes to HTTP status. This is the only such table. */
    static int status(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT, UNKNOWN_REGION -> 400;
            case DENIED -> 403;
            case NOT_FOUND -> 404;
            case ALREADY_EXISTS, PINNED, EVICTING, LAKE_OBJECT_CHANGED, CANCELLED -> 409;
            case LAKE_EMPTY, INVALID_KEY, LAKE_UNSUPPORTED -> UNPROCESSABLE;
            case INTERNAL, CORRUPT -> 500;
            case LAKE_DENIED -> 502;
            case LAKE_UNAVAILABLE, UNAVAILABLE -> 503;
            case DEADLINE_EXCEEDED -> 504;
            case CAPACITY_EXCEEDED, TOO_LARGE, BUDGET_SPENT -> INSUFFICIENT_STORAGE;
        };
    }

    private static String title(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT -> "A field of the request is invalid";
            case NOT_FOUND -> "Not found";
            case ALREADY_EXISTS -> "The name is already in use";
            case PINNED -> "The version is pinned";
            case EVICTING -> "The version is being evicted";
            case UNKNOWN_REGION -> "Unknown region";
            case LAKE_EMPTY -> "The source has no objects";
            case INVALID_KEY -> "The source has keys that cannot be paths";
            case LAKE_OBJECT_CHANGED -> "The lake has changed since the version was frozen";
            case LAKE_DENIED -> "The lake refuses access";
            case LAKE_UNAVAILABLE -> "The lake does not answer";
            case LAKE_UNSUPPORTED -> "The lake does not behave like S3";
            case CORRUPT -> "Bytes do not match their checksum";
            case CAPACITY_EXCEEDED -> "The region has no free capacity";
            case TOO_LARGE -> "The version is larger than the region or its quota";
            case BUDGET_SPENT -> "The namespace has spent its budget";
            case CANCELLED -> "The request was cancelled";
            case UNAVAILABLE -> "A component of Forebay does not answer";
            case DEADLINE_EXCEEDED -> "The version was not present by the deadline";
            case DENIED -> "Access denied";
            case INTERNAL -> "A defect in Forebay";
        };
    }
}
