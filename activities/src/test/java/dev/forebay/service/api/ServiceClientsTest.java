package dev.forebay.service.api;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.service.ServiceConfig;
import dev.forebay.testing.Settings;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ServiceClientsTest {

    @Test
    void authoritiesThatCannotBeReadEndTheStart() {
        ServiceConfig config =
                Settings.of(
                        ServiceConfig.class,
                        Map.of(
                                "forebay.role", "agent",
                                "forebay.service-ca", "/nowhere"));

        assertThatThrownBy(() -> new ServiceClients(config, Optional.empty()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("forebay.service-ca is /nowhere: it must hold certificates");
    }
}
