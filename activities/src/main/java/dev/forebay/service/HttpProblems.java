package dev.forebay.service;

import dev.forebay.model.ErrorCode;

/**
 * Creates problems for requests that reach no resource, where the HTTP layer knows only a status.
 */
final class HttpProblems {

    static final int PAYLOAD_TOO_LARGE = 413;
    static final int URI_TOO_LONG = 414;
    static final int HEADERS_TOO_LARGE = 431;

    private static final int SERVER_ERROR = 500;

    private HttpProblems() {}

    static Problem of(int status) {
        Problem coded = Problem.of(status, code(status), detail(status), null);
        return new Problem(
                coded.type(),
                title(status, coded.title()),
                status,
                coded.detail(),
                coded.code(),
                coded.retryable(),
                null);
    }

    private static ErrorCode code(int status) {
        return switch (status) {
            case 401, 403 -> ErrorCode.DENIED;
            case 404 -> ErrorCode.NOT_FOUND;
            default -> status < SERVER_ERROR ? ErrorCode.INVALID_ARGUMENT : ErrorCode.INTERNAL;
        };
    }

    /** Returns the names in RFC 9110 and RFC 6585. */
    private static String title(int status, String ofCode) {
        return switch (status) {
            case 400 -> "Bad Request";
            case 405 -> "Method Not Allowed";
            case 406 -> "Not Acceptable";
            case PAYLOAD_TOO_LARGE -> "Content Too Large";
            case URI_TOO_LONG -> "URI Too Long";
            case 415 -> "Unsupported Media Type";
            case HEADERS_TOO_LARGE -> "Request Header Fields Too Large";
            default -> ofCode;
        };
    }

    private static String detail(int status) {
        return switch (status) {
            case 404 -> "no resource has this path: see /q/openapi";
            case 405 -> "this path does not have this method: see /q/openapi";
            case 406 -> "responses are application/json";
            case PAYLOAD_TOO_LARGE ->
                    "the body is larger than %d bytes".formatted(RequestLimits.BODY_BYTES);
            case URI_TOO_LONG ->
                    "path and query are longer than %d bytes".formatted(RequestLimits.URI_BYTES);
            case 415 -> "the body must have Content-Type: application/json";
            case HEADERS_TOO_LARGE ->
                    "the headers are larger than %d bytes".formatted(RequestLimits.HEADER_BYTES);
            default -> "the request cannot be understood: see /q/openapi";
        };
    }
}
