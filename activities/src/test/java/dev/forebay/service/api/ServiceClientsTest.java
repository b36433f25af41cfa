package dev.forebay.service.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.service.ServiceConfig;
import dev.forebay.testing.Settings;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ServiceClientsTest {

    @Test
    void requestsToAgentsAndControlPlanesUseNoProxy() {
        try (HttpClient client =
                new ServiceClients(Optional.empty()).within(Duration.ofSeconds(1))) {
            assertThat(client.proxy()).contains(HttpClient.Builder.NO_PROXY);
        }
    }

    @Test
    void anUnreadableCertificateAuthorityEndsTheStart() {
        ServiceConfig config =
                Settings.of(
                        ServiceConfig.class,
                        Map.of(
                                "forebay.role", "agent",
                                "forebay.service-ca", "/nowhere"));

        assertThatThrownBy(() -> new ServiceClients(config, Optional.empty()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(
                        "forebay.service-ca is /nowhere: it must contain certificates");
    }
}
