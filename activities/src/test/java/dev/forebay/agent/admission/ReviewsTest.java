package dev.forebay.agent.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReviewsTest {

    private static final PodChange CHANGE =
            new PodChange(TrainingPod.ROOT, Optional.empty(), Map.of(), Optional.empty());
    private final Reviews reviews = new Reviews(CHANGE);

    private static ObjectNode review(JsonNode pod) {
        ObjectNode review = JsonNodeFactory.instance.objectNode();
        ObjectNode request = review.putObject("request");
        request.put("uid", "r-1").set("object", pod);
        return review;
    }

    @Test
    void theAnswerHasTheIdOfTheRequestAndThePatch() {
        JsonNode answer = reviews.answer(review(TrainingPod.plain()));

        assertThat(answer.path("apiVersion").asText()).isEqualTo("admission.k8s.io/v1");
        assertThat(answer.at("/response/uid").asText()).isEqualTo("r-1");
        assertThat(answer.at("/response/allowed").asBoolean()).isTrue();
        assertThat(answer.at("/response/patchType").asText()).isEqualTo("JSONPatch");
        byte[] patch = Base64.getDecoder().decode(answer.at("/response/patch").asText());
        assertThat(TrainingPod.json(new String(patch, StandardCharsets.UTF_8)))
                .isEqualTo(CHANGE.patch(TrainingPod.plain()));
    }

    @Test
    void aDryRunGetsTheSameAnswer() {
        ObjectNode dry = review(TrainingPod.plain());
        ((ObjectNode) dry.get("request")).put("dryRun", true);

        assertThat(reviews.answer(dry)).isEqualTo(reviews.answer(review(TrainingPod.plain())));
    }

    @Test
    void aPodWithoutARequestPassesUnchanged() {
        JsonNode answer = reviews.answer(review(TrainingPod.parse("{\"spec\": {}}")));

        assertThat(answer.at("/response/allowed").asBoolean()).isTrue();
        assertThat(answer.at("/response").has("patch")).isFalse();
        assertThat(
                        reviews.answer(JsonNodeFactory.instance.objectNode())
                                .at("/response/allowed")
                                .asBoolean())
                .as("no object at all")
                .isTrue();
    }

    @Test
    void anInvalidAnnotationIsRefusedWithTheReason() {
        ObjectNode pod = TrainingPod.plain();
        ((ObjectNode) pod.at("/metadata/annotations")).put(PodVersionRequest.DATASET, "ko-bert");

        JsonNode answer = reviews.answer(review(pod));

        assertThat(answer.at("/response/allowed").asBoolean()).isFalse();
        assertThat(answer.at("/response/status/message").asText())
                .contains("forebay.dev/dataset 'ko-bert'", "namespace/name@version");
    }
}
