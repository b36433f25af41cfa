package dev.forebay.agent.admission;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.zjsonpatch.JsonPatch;

/** Pods in the form in which the API server sends them to a webhook. */
final class TrainingPod {

    static final String ROOT = "/mnt/forebay";

    private static final ObjectMapper JSON = new ObjectMapper();

    private TrainingPod() {}

    /** Returns a pod that requests a version. */
    static ObjectNode plain() {
        return parse(
                """
                {"metadata": {"name": "train-0", "annotations": {"forebay.dev/dataset": "search/ko-bert@v1"}},
                 "spec": {"containers": [{"name": "train", "image": "train:1"}]}}
                """);
    }

    static ObjectNode parse(String json) {
        return (ObjectNode) json(json);
    }

    /** Applies a change as the API server does. */
    static ObjectNode changed(PodChange change, ObjectNode pod) {
        return (ObjectNode) JsonPatch.apply(change.patch(pod), pod);
    }

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(text, e);
        }
    }
}
