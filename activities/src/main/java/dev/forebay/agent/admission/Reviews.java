package dev.forebay.agent.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.forebay.model.ForebayException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Answers AdmissionReviews of {@code admission.k8s.io/v1}. The answer depends on the review only
 * and has no side effects, so a dry run gets the same answer.
 */
record Reviews(PodChange change) {

    private static final int UNPROCESSABLE = 422;

    ObjectNode answer(JsonNode review) {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        answer.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
        ObjectNode response = answer.putObject("response");
        response.put("uid", review.at("/request/uid").asText());
        try {
            response.put("allowed", true);
            if (review.at("/request/object") instanceof ObjectNode pod) {
                add(response, change.patch(pod));
            }
        } catch (ForebayException refused) {
            response.put("allowed", false);
            response.putObject("status")
                    .put("code", UNPROCESSABLE)
                    .put("reason", "Invalid")
                    .put("message", refused.getMessage());
        }
        return answer;
    }

    private static void add(ObjectNode response, ArrayNode patch) {
        if (!patch.isEmpty()) {
            byte[] bytes = patch.toString().getBytes(StandardCharsets.UTF_8);
            response.put("patchType", "JSONPatch");
            response.put("patch", Base64.getEncoder().encodeToString(bytes));
        }
    }
}
