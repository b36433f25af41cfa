package dev.forebay.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoleDefaultsTest {

    @Test
    void anAgentHasNoDatabase() {
        SmallRyeConfig config = config(Map.of("forebay.role", "agent"));

        assertThat(config.getValue("quarkus.datasource.active", String.class)).isEqualTo("false");
        assertThat(config.getValue("quarkus.hibernate-orm.active", String.class))
                .isEqualTo("false");
        assertThat(config.getValue("quarkus.flyway.active", String.class)).isEqualTo("false");
    }

    @Test
    void theControlPlaneGetsNoDefaults() {
        SmallRyeConfig config = config(Map.of("forebay.role", "control-plane"));

        assertThat(config.getOptionalValue("quarkus.datasource.active", String.class)).isEmpty();
    }

    @Test
    void aProcessWithoutARoleGetsNoDefaults() {
        assertThat(config(Map.of()).getOptionalValue("quarkus.datasource.active", String.class))
                .isEmpty();
    }

    private static SmallRyeConfig config(Map<String, String> properties) {
        return new SmallRyeConfigBuilder()
                .withSources(new PropertiesConfigSource(properties, "test", 500))
                .withSources(new RoleDefaults())
                .build();
    }
}
