package dev.forebay.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.ForebayException;
import dev.forebay.settings.SettingsCheck;
import dev.forebay.testing.Settings;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentConfigTest {

    @ParameterizedTest
    @CsvSource({
        "forebay.node-labels.weight, 0, 'forebay.node-labels.weight is 0: it must be at least 1, and at most 100'",
        "forebay.node-labels.weight, 101, 'forebay.node-labels.weight is 101: it must be at least 1, and at most 100'",
        "forebay.warm.concurrency, 0, forebay.warm.concurrency is 0: it must be at least 1",
        "forebay.upkeep.interval, 999ms, forebay.upkeep.interval is 0.999 s: it must be at least 1s",
        "forebay.admission.request-bytes, 1M, forebay.admission.request-bytes is 1048576: it must be at least 4M"
    })
    void theErrorNamesTheSettingItsValueAndTheRule(String setting, String value, String error) {
        AgentConfig config = Settings.of(AgentConfig.class, Map.of(setting, value));

        assertThatThrownBy(() -> SettingsCheck.check(config))
                .isInstanceOf(ForebayException.class)
                .hasMessage(error);
    }

    @Test
    void oneErrorNamesAllInvalidSettings() {
        Map<String, String> properties =
                Map.of("forebay.activities", "0", "forebay.gate.interval", "0S");
        AgentConfig config = Settings.of(AgentConfig.class, properties);

        assertThatThrownBy(() -> SettingsCheck.check(config))
                .hasMessageContaining("forebay.activities is 0: it must be at least 1")
                .hasMessageContaining("; ")
                .hasMessageContaining("forebay.gate.interval is 0 s: it must be at least 1ms");
    }

    /** Role labels of nodes have no value. */
    @Test
    void aNodeLabelMayHaveAnEmptyValue() {
        Map<String, String> properties =
                Map.of(
                        "forebay.etcd.endpoints", "http://127.0.0.1:2379",
                        "forebay.admission.nodes.\"node-role.kubernetes.io/gpu\"", "",
                        "forebay.admission.nodes.\"nvidia.com/gpu.present\"", "true");
        AgentConfig config = Settings.of(AgentConfig.class, properties);

        assertThat(config.admission().nodes())
                .containsOnly(
                        Map.entry("node-role.kubernetes.io/gpu", ""),
                        Map.entry("nvidia.com/gpu.present", "true"));
    }
}
