package dev.forebay.agent;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.agent.config.AgentConfig;
import dev.forebay.model.ForebayException;
import dev.forebay.testing.Settings;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentResourcesTest {

    @ParameterizedTest(name = "{0} = {1}: {2}")
    @CsvSource({
        "forebay.region, US, region 'US' must be",
        "forebay.etcd.endpoints, localhost, forebay.etcd.endpoints must be",
        "forebay.etcd.tls.ca, /nowhere, must not be given where etcd"
    })
    void anErrorNamesTheInvalidSetting(String property, String value, String message) {
        Map<String, String> properties = new HashMap<>();
        properties.put("forebay.region", "test-1");
        properties.put("forebay.etcd.endpoints", "http://127.0.0.1:9");
        properties.put(property, value);
        AgentConfig config = Settings.of(AgentConfig.class, properties);
        AgentResources resources = new AgentResources();

        assertThatThrownBy(() -> resources.state(config, resources.region(config)))
                .isInstanceOf(ForebayException.class)
                .hasMessageContaining(message);
    }
}
