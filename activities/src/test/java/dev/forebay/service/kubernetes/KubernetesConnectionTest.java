package dev.forebay.service.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import org.junit.jupiter.api.Test;

class KubernetesConnectionTest {

    /** The client also reads properties with the names of the environment variables. */
    @Test
    void requestsToTheApiServerUseNoProxy() {
        List<String> variables = List.of("http.proxy", "https.proxy", "all.proxy");
        variables.forEach(name -> System.setProperty(name, "nonsense://"));
        KubernetesConnection connection = new KubernetesConnection();
        try (KubernetesClient client = connection.client()) {
            assertThat(client.getConfiguration().getHttpProxy()).isNull();
            assertThat(client.getConfiguration().getHttpsProxy()).isNull();
        } finally {
            variables.forEach(System::clearProperty);
        }
    }
}
