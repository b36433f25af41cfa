package dev.forebay.service;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.forebay.testing.Settings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors that end a start in any role, before the process listens. */
class StartTest {

    @ParameterizedTest(name = "{0} = {1}: {2}")
    @CsvSource({
        "forebay.lake.endpoint, foo, forebay.lake.endpoint is foo: it must",
        "forebay.lake.sts-endpoint, foo, forebay.lake.sts-endpoint is foo: it must",
        "forebay.token-file, /nowhere, forebay.token-file: cannot read",
        "forebay.tls.certificate, /nowhere, forebay.tls.certificate and forebay.tls.key must be "
                + "set together"
    })
    void anErrorNamesTheInvalidSetting(String property, String value, String message) {
        Map<String, String> properties = new HashMap<>();
        properties.put("forebay.role", "agent");
        properties.put(property, value);
        ServiceConfig config = Settings.of(ServiceConfig.class, properties);

        assertThatThrownBy(() -> begin(config))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(message);
    }

    private static void begin(ServiceConfig config) {
        var _ = new ListenerGuard(config, new ProblemWriter(new ObjectMapper()), "127.0.0.1");
        var _ = new ServiceTls(config, new SimpleMeterRegistry());
        new Lakes().lake(config).close();
    }
}
