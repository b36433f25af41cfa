package dev.forebay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AgentConfigTest {

    private static final int ORDINAL = 100;

    /** As labels of roles have it. */
    @Test
    void aLabelOfNodesMayHaveNoValue() {
        Map<String, String> properties =
                Map.of(
                        "forebay.etcd.endpoints", "http://127.0.0.1:2379",
                        "forebay.admission.nodes.\"node-role.kubernetes.io/gpu\"", "",
                        "forebay.admission.nodes.\"nvidia.com/gpu.present\"", "true");
        AgentConfig config =
                new SmallRyeConfigBuilder()
                        .addDefaultInterceptors()
                        .addDiscoveredConverters()
                        .withMapping(AgentConfig.class)
                        .withMappingIgnore("forebay.**")
                        .withSources(new PropertiesConfigSource(properties, "test", ORDINAL))
                        .build()
                        .getConfigMapping(AgentConfig.class);

        assertThat(config.admission().nodes())
                .containsOnly(
                        Map.entry("node-role.kubernetes.io/gpu", ""),
                        Map.entry("nvidia.com/gpu.present", "true"));
    }
}
