package dev.forebay.agent.gate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Answers of the API, as its OpenAPI document describes them. */
class RequestAnswerTest {

    private static RequestAnswer of(int status, String body) throws JsonProcessingException {
        return RequestAnswer.of(status, new ObjectMapper().readTree(body));
    }

    @Test
    void aReceiptIsWarmUnlessItGivesTheReasonWhyItIsCold() throws JsonProcessingException {
        assertThat(of(200, "{\"receipt\": {\"path\": \"/mnt/a/b/v1\", \"cold\": null}}"))
                .isEqualTo(new RequestAnswer.Warm("/mnt/a/b/v1"));
        assertThat(
                        of(
                                200,
                                """
                                {"receipt": {"path": "/p", "cold": {"code": "DEADLINE_EXCEEDED", "message": "late"}}}"""))
                .isEqualTo(new RequestAnswer.Cold("late"));
    }

    @Test
    void onlyAMissingAnswerSaysNothing() {
        assertThat(RequestAnswer.isSaid(RequestAnswer.NONE)).isFalse();
        assertThat(RequestAnswer.isSaid(new RequestAnswer.Refused("NOT_FOUND", "no such dataset")))
                .isTrue();
        assertThat(RequestAnswer.isSaid(new RequestAnswer.Warm("/p"))).isTrue();
    }

    @Test
    void anUnfinishedRequestHasProgress() throws JsonProcessingException {
        assertThat(
                        of(
                                202,
                                """
                                {"progress": {"percent": 12, "eta_seconds": 90, "blocked": null, "waiting": null}}"""))
                .isEqualTo(
                        new RequestAnswer.Coming(
                                12, Optional.of(Duration.ofSeconds(90)), Optional.empty()));
        assertThat(
                        of(
                                202,
                                """
                                {"progress": {"percent": 0, "eta_seconds": null, "blocked": null,
                                              "waiting": {"code": "CAPACITY_EXCEEDED", "message": "no space"}}}"""))
                .isEqualTo(new RequestAnswer.Coming(0, Optional.empty(), Optional.of("no space")));
    }

    @Test
    void anyOtherAnswerIsARefusal() throws JsonProcessingException {
        assertThat(of(404, "{\"code\": \"NOT_FOUND\", \"detail\": \"no such dataset\"}"))
                .isEqualTo(new RequestAnswer.Refused("NOT_FOUND", "no such dataset"));
        assertThat(of(502, ""))
                .isEqualTo(
                        new RequestAnswer.Refused(
                                "UNAVAILABLE", "the control plane answered with status 502"));
    }
}
