package dev.forebay.control.requests;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.PinRequest;
import jakarta.inject.Singleton;

/**
 * Converts requests to JSON for the catalogue. Equal requests have the same form in every release:
 * later fields are left out if a request does not set them. Thread-safe.
 */
@Singleton
class RequestJson {

    private final ObjectMapper json;

    RequestJson(ObjectMapper json) {
        this.json = json.copy().addMixIn(PinRequest.class, WithoutWhatIsNotSaid.class);
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private interface WithoutWhatIsNotSaid {}

    String of(EnsureRequest request) {
        try {
            return json.writeValueAsString(request);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a request is always JSON", e);
        }
    }

    EnsureRequest read(String form) {
        try {
            return json.readValue(form, EnsureRequest.class);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a request in the catalogue is not readable", e);
        }
    }
}
