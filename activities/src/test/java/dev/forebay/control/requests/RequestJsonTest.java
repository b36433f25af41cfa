package dev.forebay.control.requests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.PinRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RequestJsonTest {

    private static final RegionName US = new RegionName("us-1");

    /** A request that is sent again after an upgrade must be recognized by its stored form. */
    private static final String STORED =
            """
            {"region":{"value":"us-1"},"pin":{"region":{"value":"us-1"},"id":"p","holder":"me","reason":"","lease":"PT1M","job":%s},\
            "terms":{"min_coverage":1.0,"deadline":null,"on_deadline":"FAIL","urgency":"INTERACTIVE"},"others":[]}""";

    private final RequestJson form =
            new RequestJson(
                    JsonMapper.builder()
                            .addModule(new JavaTimeModule())
                            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                            .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
                            .build());

    @Test
    void theStoredFormOfARequestDoesNotChange() {
        assertStored(EnsureRequest.of(US, pin(null)), STORED.formatted("null"));
        assertStored(EnsureRequest.of(US, pin("7f3e")), STORED.formatted("\"7f3e\""));
        assertThat(form.of(EnsureRequest.of(US, null))).contains("\"pin\":null");
    }

    private void assertStored(EnsureRequest request, String stored) {
        assertThat(form.of(request)).isEqualTo(stored);
        assertThat(form.read(stored)).isEqualTo(request);
    }

    private static PinRequest pin(@Nullable String job) {
        return new PinRequest(US, "p", "me", "", Duration.ofMinutes(1), job);
    }
}
