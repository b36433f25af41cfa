package dev.forebay.agent.gate;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Optional;

/** What the control plane says to a request to have a version. */
sealed interface Answer {

    /** It is there as a whole, and pinned. */
    record Warm(String path) implements Answer {}

    /** It was not there by the deadline, and the pod is to run all the same. */
    record Cold(String why) implements Answer {}

    /**
     * It will be there.
     *
     * @param left how long that takes, if it is known
     * @param obstacle what it waits for, or how it failed last, if it does not get on
     */
    record Coming(int percent, Optional<Duration> left, Optional<String> obstacle)
            implements Answer {}

    /**
     * It is refused, or there is no answer; a later one may be another.
     *
     * @param code a {@code dev.forebay.model.ErrorCode}
     */
    record Refused(String code, String why) implements Answer {}

    /** The code of what was not there by the deadline. */
    String DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED";

    /** The code of who does not answer. */
    String UNAVAILABLE = "UNAVAILABLE";

    /** What is to be made of no answer at all. */
    Answer NONE = new Refused(UNAVAILABLE, "the control plane does not answer");

    /** Whether the control plane has said this, and not that it cannot, or nothing at all. */
    static boolean isSaid(Answer answer) {
        return !(answer instanceof Refused refused && refused.code().equals(UNAVAILABLE));
    }

    /** Reads an answer of the API. */
    static Answer of(int status, JsonNode body) {
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
