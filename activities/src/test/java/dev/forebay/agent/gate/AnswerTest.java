package dev.forebay.agent.gate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Answers of the API, as its OpenAPI document describes them. */
class AnswerTest {

    private static Answer of(int status, String body) throws JsonProcessingException {
        return Answer.of(status, new ObjectMapper().readTree(body));
    }

    @Test
    void aReceiptIsWarmUnlessItGivesTheReasonWhyItIsCold() throws JsonProcessingException {
        assertThat(of(200, "{\"receipt\": {\"path\": \"/mnt/a/b/v1\", \"cold\": null}}"))
                .isEqualTo(new Answer.Warm("/mnt/a/b/v1"));
        assertThat(
                        of(
                                200,
                                """
                                {"receipt": {"path": "/p", "cold": {"code": "DEADLINE_EXCEEDED", "message": "late"}}}"""))
                .isEqualTo(new Answer.Cold("late"));
    }

    @Test
    void onlyAMissingAnswerSaysNothing() {
        assertThat(Answer.isSaid(Answer.NONE)).isFalse();
        assertThat(Answer.isSaid(new Answer.Refused("NOT_FOUND", "no such dataset"))).isTrue();
        assertThat(Answer.isSaid(new Answer.Warm("/p"))).isTrue();
    }

    @Test
    void anUnfinishedRequestHasProgress() throws JsonProcessingException {
        assertThat(
                        of(
                                202,
                                """
                                {"progress": {"percent": 12, "eta_seconds": 90, "blocked": null, "waiting": null}}"""))
                .isEqualTo(
                        new Answer.Coming(
                                12, Optional.of(Duration.ofSeconds(90)), Optional.empty()));
        assertThat(
                        of(
                                202,
                                """
                                {"progress": {"percent": 0, "eta_seconds": null, "blocked": null,
                                              "waiting": {"code": "CAPACITY_EXCEEDED", "message": "no room"}}}"""))
                .isEqualTo(new Answer.Coming(0, Optional.empty(), Optional.of("no room")));
    }

    @Test
    void anyOtherAnswerIsARefusal() throws JsonProcessingException {
        assertThat(of(404, "{\"code\": \"NOT_FOUND\", \"detail\": \"no such dataset\"}"))
                .isEqualTo(new Answer.Refused("NOT_FOUND", "no such dataset"));
        assertThat(of(502, ""))
                .isEqualTo(
                        new Answer.Refused(
                                "UNAVAILABLE", "the control plane answered with status 502"));
    }
}
