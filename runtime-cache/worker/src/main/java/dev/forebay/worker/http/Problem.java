package dev.forebay.worker.http;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.transfer.WorkerProtocol;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The worker's only mapper from failures to HTTP, as RFC 9457 problems.
 *
 * @param field the part of the request that is wrong, if it is a single one
 */
record Problem(
        int status,
        ErrorCode code,
        String detail,
        @Nullable String field,
        Map<String, String> headers) {

    static Problem of(Throwable failure) {
        return switch (failure) {
            case Refusal refusal ->
                    new Problem(
                            refusal.status,
                            refusal.code,
                            message(refusal),
                            refusal.field,
                            refusal.headers);
            case ForebayException known ->
                    new Problem(status(known.code()), known.code(), message(known), null, Map.of());
            default ->
                    new Problem(
                            500,
                            ErrorCode.INTERNAL,
                            "a defect in the worker: see its log",
                            null,
                            Map.of());
        };
    }

    /** Returns whether the worker itself is at fault, in which case the failure is logged. */
    boolean defect() {
        return code == ErrorCode.INTERNAL;
    }

    String contentType() {
        return WorkerProtocol.PROBLEM_TYPE;
    }

    JsonObject body() {
        JsonObject body =
                new JsonObject()
                        .put("type", "about:blank")
                        .put("title", code.name())
                        .put("status", status)
                        .put("detail", detail)
                        .put(WorkerProtocol.PROBLEM_CODE, code.name())
                        .put("retryable", code.retryable());
        return field == null ? body : body.put("field", field);
    }

    private static int status(ErrorCode code) {
        return switch (code.category()) {
            case REFUSED -> 400;
            case MISSING -> 404;
            case CONFLICT -> 409;
            case DENIED -> 403;
            // The requested bytes exist but are damaged or changed.
            case LOST -> 409;
            case FULL -> 507;
            case UNAVAILABLE -> 503;
            case INTERNAL -> 500;
        };
    }

    private static String message(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }
}
