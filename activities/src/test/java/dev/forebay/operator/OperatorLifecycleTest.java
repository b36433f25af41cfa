package dev.forebay.operator;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The settings that are refused, and their messages. */
class OperatorLifecycleTest {

    private static OperatorConfig config(Map<String, String> settings) {
        Map<String, String> properties = new HashMap<>();
        settings.forEach((name, value) -> properties.put("forebay.datasets." + name, value));
        return new SmallRyeConfigBuilder()
                .addDefaultInterceptors()
                .addDiscoveredConverters()
                .withMapping(OperatorConfig.class)
                .withDefaultValues(properties)
                .build()
                .getConfigMapping(OperatorConfig.class);
    }

    @Test
    void theDefaultsAreValid() {
        assertThatCode(() -> OperatorLifecycle.check(config(Map.of()), false))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "api, localhost:8080, 'forebay.datasets.api is localhost:8080: it must be http://host:port'",
        "timeout, PT0S, forebay.datasets.timeout is 0 s: it must be at least 1ms",
        "interval, PT0.5S, forebay.datasets.interval is 0.5 s: it must be at least 1s",
        "lease, P8D, 'forebay.datasets.lease is 691200 s: it must be at least 5s, and at most 7d'",
        "lease, PT2M, 'forebay.datasets.lease is 120 s: it must be at least three times forebay.datasets.interval, 60 s'",
        "release-timeout, PT-1S, forebay.datasets.release-timeout is -1 s: it must be at least 0s",
        "concurrency, 0, forebay.datasets.concurrency is 0: it must be at least 1",
    })
    void anInvalidSettingIsRefused(String name, String value, String refusal) {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> OperatorLifecycle.check(config(Map.of(name, value)), false))
                .withMessageStartingWith(refusal)
                .matches(e -> e.code() == ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void theOperatorRequiresHttpsIfTheControlPlaneUsesTls() {
        assertThatCode(
                        () ->
                                OperatorLifecycle.check(
                                        config(Map.of("api", "https://forebay:8080")), true))
                .doesNotThrowAnyException();
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> OperatorLifecycle.check(config(Map.of()), true))
                .withMessageStartingWith(
                        "forebay.datasets.api is http://127.0.0.1:8080: it must be https");
    }
}
