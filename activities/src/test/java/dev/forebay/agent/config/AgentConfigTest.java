package dev.forebay.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.testing.Settings;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AgentConfigTest {

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
