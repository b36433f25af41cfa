package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.kubernetes.KubernetesCluster;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What agents put into objects of the release is theirs: Helm leaves it alone. */
class WebhookKubeIT {

    private static final String NAMESPACE = "hooked";

    private static final String VALUES =
            """
            region:
              webhook: {enabled: true}
              etcd: {endpoints: ["http://etcd-0:2379"]}
              workers: {replicas: 1, storage: {hostPaths: [/disks/1/forebay]}}
            """;

    @TempDir private static Path directory;

    private static KubernetesCluster cluster;
    private static KubernetesClient client;

    @BeforeAll
    static void startCluster() {
        cluster = KubernetesCluster.start(directory.resolve("cluster"));
        client = cluster.client();
        cluster.addNodes("node", 2, Map.of());
        Site.prepare(client, NAMESPACE, "privileged");
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    private static Secret secret() {
        return client.secrets()
                .inNamespace(NAMESPACE)
                .withName("r-forebay-agent-webhook")
                .require();
    }

    private static MutatingWebhookConfiguration configuration() {
        return client.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("hooked-r-forebay-agent")
                .require();
    }

    private static List<String> trusted() {
        return configuration().getWebhooks().stream()
                .map(MutatingWebhook::getClientConfig)
                .map(config -> String.valueOf(config.getCaBundle()))
                .toList();
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void anUpgradeAndARollbackLeaveTheAgentsKeyAndTheTrustInIt() throws IOException {
        Installation release = new Installation(cluster, directory.resolve("helm"), NAMESPACE);
        release.install(Chart.CONTROL_PLANE, Chart.REGION, VALUES);
        String authority =
                encoded(Files.readString(Path.of(client.getConfiguration().getCaCertFile())));
        Map<String, String> key = Map.of("tls.key", encoded("key"));
        // As an agent does.
        Secret secret = secret();
        secret.setData(key);
        client.resource(secret).update();
        MutatingWebhookConfiguration configuration = configuration();
        configuration
                .getWebhooks()
                .forEach(webhook -> webhook.getClientConfig().setCaBundle(authority));
        client.resource(configuration).update();

        release.upgrade(
                Chart.CONTROL_PLANE,
                Chart.REGION,
                VALUES,
                "{region: {webhook: {timeoutSeconds: 3}, agent: {replicas: 2}}}");
        assertThat(configuration().getWebhooks())
                .extracting(MutatingWebhook::getTimeoutSeconds)
                .containsOnly(3);
        assertThat(trusted()).hasSize(2).containsOnly(authority);
        assertThat(secret().getData()).isEqualTo(key);

        release.rollback(1);
        assertThat(trusted()).containsOnly(authority);
        assertThat(secret().getData()).isEqualTo(key);

        release.uninstall();
        assertThat(client.admissionRegistration().v1().mutatingWebhookConfigurations().list().getItems())
                .isEmpty();
    }
}
