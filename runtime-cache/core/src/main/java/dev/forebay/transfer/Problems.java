package dev.forebay.transfer;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Turns a worker's refusal back into the exception it was made from. */
final class Problems {

    private static final ObjectMapper JSON = new ObjectMapper();

    private Problems() {}

    static ForebayException toException(WorkerNode worker, int status, byte[] body) {
        ErrorCode code = ofStatus(status);
        String detail = "HTTP " + status;
        try {
            JsonNode problem = JSON.readTree(body);
            detail = problem.path("detail").asText(detail);
            code = ErrorCode.valueOf(problem.path(WorkerProtocol.PROBLEM_CODE).asText());
        } catch (JacksonException | IllegalArgumentException notOurs) {
            // Somebody else's error page, or a code of a later version: the status has to do.
        } catch (IOException impossible) {
            throw new AssertionError("reading from memory", impossible);
        }
        return new ForebayException(code, "worker %s: %s".formatted(worker.id(), detail));
    }

    static <T> T read(WorkerNode worker, byte[] body, Class<T> type) {
        try {
            return JSON.readValue(body, type);
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "worker %s answered what is not a %s: %s"
                            .formatted(
                                    worker.id(),
                                    type.getSimpleName(),
                                    new String(
                                            body,
                                            0,
                                            Math.min(body.length, 200),
                                            StandardCharsets.UTF_8)),
                    e);
        }
    }

    private static ErrorCode ofStatus(int status) {
        return switch (status) {
            case 400, 405, 406, 415, 416, 422 -> ErrorCode.INVALID_ARGUMENT;
            case 401, 403 -> ErrorCode.DENIED;
            case 404, 410 -> ErrorCode.NOT_FOUND;
            case 409 -> ErrorCode.PINNED;
            case 507 -> ErrorCode.CAPACITY_EXCEEDED;
            default -> ErrorCode.UNAVAILABLE;
        };
    }
}
