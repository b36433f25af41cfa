package dev.forebay.control.requests;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.forebay.workflows.message.EnsureRequest;
import jakarta.inject.Singleton;

/**
 * Converts requests to JSON for the catalogue. Equal requests have the same form in every release,
 * so a field that a later release adds must be left out of requests that do not set it.
 * Thread-safe.
 */
@Singleton
class RequestJson {

    private final ObjectMapper json;

    RequestJson(ObjectMapper json) {
        this.json = json;
    }

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
