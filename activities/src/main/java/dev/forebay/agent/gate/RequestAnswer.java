package dev.forebay.agent.gate;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Optional;

/** The control plane's answer to a request for a version. */
sealed interface RequestAnswer {

    /** The whole version is present and pinned. */
    record Warm(String path) implements RequestAnswer {}

    /** The version missed the deadline, and the pod is to run without it. */
    record Cold(String why) implements RequestAnswer {}

    /**
     * The version is being filled.
     *
     * @param percent the filled part of the version, 0 to 100
     * @param left the remaining time, if known
     * @param obstacle what it waits for, or its last failure, if it makes no progress
     */
    record Coming(int percent, Optional<Duration> left, Optional<String> obstacle)
            implements RequestAnswer {}

    /**
     * The request was refused or not answered. A later answer may differ.
     *
     * @param code a {@code dev.forebay.model.ErrorCode}
     */
    record Refused(String code, String why) implements RequestAnswer {}

    /** The code for a version that missed the deadline. */
    String DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED";

    /** The code for a missing answer. */
    String UNAVAILABLE = "UNAVAILABLE";

    /** Stands for a missing answer. */
    RequestAnswer NONE = new Refused(UNAVAILABLE, "the control plane does not answer");

    /** Returns whether the control plane has answered, even with a refusal. */
    static boolean isSaid(RequestAnswer answer) {
        return !(answer instanceof Refused refused && refused.code().equals(UNAVAILABLE));
    }

    /** Parses an answer of the API. */
    static RequestAnswer of(int status, JsonNode body) {
        return switch (status) {
            case 200 ->
                    body.at("/receipt/cold").isObject()
                            ? new Cold(body.at("/receipt/cold/message").asText())
                            : new Warm(body.at("/receipt/path").asText());
            case 202 ->
                    new Coming(
                            body.at("/progress/percent").asInt(),
                            seconds(body.at("/progress/eta_seconds")),
                            text(body.at("/progress/blocked/message"))
                                    .or(() -> text(body.at("/progress/waiting/message"))));
            default ->
                    new Refused(
                            body.path("code").asText(UNAVAILABLE),
                            body.path("detail")
                                    .asText(
                                            "the control plane answered with status %d"
                                                    .formatted(status)));
        };
    }

    private static Optional<Duration> seconds(JsonNode seconds) {
        return seconds.isNumber()
                ? Optional.of(Duration.ofSeconds(seconds.asLong()))
                : Optional.empty();
    }

    private static Optional<String> text(JsonNode text) {
        return text.isTextual() ? Optional.of(text.asText()) : Optional.empty();
    }
}
