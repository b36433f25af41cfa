package dev.forebay.control.engine;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.PinRequest;
import jakarta.inject.Singleton;

/**
 * Requests as they are written down. The same request has the same form in every release: what was
 * added to requests later is left out where it is not said. Safe for use by many threads.
 */
@Singleton
class StoredForm {

    private final ObjectMapper json;

    StoredForm(ObjectMapper json) {
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
