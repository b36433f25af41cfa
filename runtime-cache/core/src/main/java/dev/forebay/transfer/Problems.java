package dev.forebay.transfer;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Converts a worker's refusal to the exception that it was made from. */
final class Problems {

    /** Ignores members that it does not know, because a worker may be of a later release. */
    private static final ObjectMapper JSON =
            JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

    private Problems() {}

    static ForebayException toException(WorkerNode worker, int status, byte[] body) {
        JsonNode problem = problem(body);
        String said = problem.path(WorkerProtocol.PROBLEM_CODE).asText();
        ErrorCode code =
                Arrays.stream(ErrorCode.values())
                        .filter(each -> each.name().equals(said))
                        .findFirst()
                        .orElseGet(() -> ofStatus(status, problem));
        return new ForebayException(
                code,
                "worker %s: %s"
                        .formatted(worker.id(), problem.path("detail").asText("HTTP " + status)));
    }

    private static JsonNode problem(byte[] body) {
        try {
            return JSON.readTree(body);
        } catch (JacksonException notOurs) {
            return MissingNode.getInstance();
        } catch (IOException impossible) {
            throw new AssertionError("reading from memory", impossible);
        }
    }

    /**
     * Returns the code, by its status, for a problem whose code this release does not know. An
     * answer without a code comes from a proxy, which knows nothing about packs and pins.
     */
    private static ErrorCode ofStatus(int status, JsonNode problem) {
        if (status == 401 || status == 403) {
            return ErrorCode.DENIED;
        }
        boolean ofWorker = problem.has(WorkerProtocol.PROBLEM_CODE);
        return ofWorker && !problem.path("retryable").asBoolean()
                ? ofStatus(status)
                : ErrorCode.UNAVAILABLE;
    }

    static <T> T read(WorkerNode worker, byte[] body, Class<T> type) {
        try {
            return JSON.readValue(body, type);
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "worker %s sent a response that is not a %s: %s"
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
            case 404, 410 -> ErrorCode.NOT_FOUND;
            case 409 -> ErrorCode.PINNED;
            case 507 -> ErrorCode.CAPACITY_EXCEEDED;
            default -> ErrorCode.UNAVAILABLE;
        };
    }
}
