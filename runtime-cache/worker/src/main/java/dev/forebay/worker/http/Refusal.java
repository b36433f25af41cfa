package dev.forebay.worker.http;

import dev.forebay.model.ErrorCode;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A failure found by the HTTP layer itself, with its status and headers. */
final class Refusal extends RuntimeException {

    final int status;
    final ErrorCode code;
    final @Nullable String field;
    final transient Map<String, String> headers;

    private Refusal(
            int status,
            ErrorCode code,
            @Nullable String field,
            String message,
            Map<String, String> headers) {
        super(message, null, false, false);
        this.status = status;
        this.code = code;
        this.field = field;
        this.headers = headers;
    }

    /** 400: a field breaks a rule. */
    static Refusal invalid(String field, @Nullable String value, String rule) {
        return new Refusal(
                400,
                ErrorCode.INVALID_ARGUMENT,
                field,
                value == null
                        ? "%s is missing: it %s".formatted(field, rule)
                        : "%s '%s' %s".formatted(field, abbreviate(value), rule),
                Map.of());
    }

    /** 401: no token, or a wrong one. */
    static Refusal unauthorized() {
        return new Refusal(
                401,
                ErrorCode.DENIED,
                "Authorization",
                "the request needs the region's bearer token",
                Map.of("WWW-Authenticate", "Bearer"));
    }

    /** 404: the path does not exist. */
    static Refusal noSuchPath(String path) {
        return new Refusal(
                404, ErrorCode.NOT_FOUND, null, "no such path: " + abbreviate(path), Map.of());
    }

    /** 405: the path exists, but not with this method. */
    static Refusal noSuchMethod(String method, String path) {
        return new Refusal(
                405,
                ErrorCode.INVALID_ARGUMENT,
                null,
                "%s is not a method of %s".formatted(method, abbreviate(path)),
                Map.of());
    }

    /** 416: the range starts behind the end of the pack. */
    static Refusal outside(String range, long packBytes) {
        return new Refusal(
                416,
                ErrorCode.INVALID_ARGUMENT,
                "Range",
                "Range '%s' must begin before the pack's end at %d".formatted(range, packBytes),
                Map.of("Content-Range", "bytes */" + packBytes));
    }

    /** 504: the bytes are not here and may not be fetched. */
    static Refusal miss() {
        return new Refusal(
                504,
                ErrorCode.NOT_FOUND,
                null,
                "not cached here, and only-if-cached forbids fetching it",
                Map.of());
    }

    /** 503: the queue is full. */
    static Refusal busy(int waiting, Duration retryAfter) {
        return new Refusal(
                503,
                ErrorCode.UNAVAILABLE,
                null,
                "%d other requests already wait (forebay.worker.requests.queue)".formatted(waiting),
                Map.of("Retry-After", Long.toString(Math.max(1, retryAfter.toSeconds()))));
    }

    private static String abbreviate(String value) {
        return value.length() <= 100 ? value : value.substring(0, 100) + "…";
    }
}
