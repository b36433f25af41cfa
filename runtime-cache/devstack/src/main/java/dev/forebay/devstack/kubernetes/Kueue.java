package dev.forebay.devstack.kubernetes;

import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.OneProcessServer;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.server.ServerProcess;
import dev.forebay.devstack.tls.CertificateAuthority;
import dev.forebay.devstack.tool.Toolbox;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Kueue's controller for Jobs with its CRDs, without its admission webhooks. Tests must create
 * objects as the webhooks would leave them: a Job needs {@code suspend}. Only the newest API,
 * {@code v1beta2}, is served.
 */
public final class Kueue extends OneProcessServer {
    private static final String NAMESPACE = "kueue-system";
    private static final String SECRET = "kueue-webhook-server-cert";
    private static final int TIMEOUT_SECONDS = 60;

    private Kueue(ServerProcess process) {
        super(process);
    }

    /**
     * Adds Kueue's CRDs to a cluster and starts the controller, which ends with this JVM at the
     * latest.
     */
    public static Kueue start(Path directory, KubernetesCluster cluster) {
        int webhooks = Ports.free();
        String health = "127.0.0.1:" + Ports.free();
        Path tool = Toolbox.ofThisMachine().kueue();
        try {
            define(tool.resolve("crds"), webhooks, cluster.client());
            makeHome(cluster.client());
            Path configuration = configuration(directory, health, webhooks);
            return new Kueue(
                    ServerProcess.start(
                            Launch.of(
                                    "kueue",
                                    directory,
                                    List.of(
                                            tool.resolve("kueue").toString(),
                                            "--config=" + configuration),
                                    Map.of("KUBECONFIG", cluster.kubeconfig().toString()),
                                    Readiness.ok(URI.create("http://" + health + "/readyz")),
                                    Launch.Lifetime.THIS_JVM)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Creates the CRDs. Kueue writes the certificate of its conversion webhook into each of them.
     */
    private static void define(Path definitions, int port, KubernetesClient client)
            throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(definitions, "*.yaml")) {
            for (Path file : files) {
                CustomResourceDefinition definition =
                        client.apiextensions()
                                .v1()
                                .customResourceDefinitions()
                                .load(file.toFile())
                                .item();
                client.resource(
                                new CustomResourceDefinitionBuilder(definition)
                                        .editSpec()
                                        .withNewConversion()
                                        .withStrategy("Webhook")
                                        .withNewWebhook()
                                        .withConversionReviewVersions("v1")
                                        .withNewClientConfig()
                                        .withUrl("https://127.0.0.1:%d/convert".formatted(port))
                                        .endClientConfig()
                                        .endWebhook()
                                        .endConversion()
                                        .endSpec()
                                        .build())
                        .create();
                client.apiextensions()
                        .v1()
                        .customResourceDefinitions()
                        .withName(definition.getMetadata().getName())
                        .waitUntilCondition(Kueue::isServed, TIMEOUT_SECONDS, TimeUnit.SECONDS);
            }
        }
    }

    private static boolean isServed(@Nullable CustomResourceDefinition definition) {
        return Optional.ofNullable(definition)
                .map(CustomResourceDefinition::getStatus)
                .map(CustomResourceDefinitionStatus::getConditions)
                .stream()
                .flatMap(List::stream)
                .anyMatch(
                        it -> it.getType().equals("Established") && it.getStatus().equals("True"));
    }

    /** Creates the Secret that Kueue fills with the certificate for the webhooks in its CRDs. */
    private static void makeHome(KubernetesClient client) {
        client.resource(
                        new NamespaceBuilder()
                                .withNewMetadata()
                                .withName(NAMESPACE)
                                .endMetadata()
                                .build())
                .create();
        client.resource(
                        new SecretBuilder()
                                .withNewMetadata()
                                .withNamespace(NAMESPACE)
                                .withName(SECRET)
                                .endMetadata()
                                .build())
                .create();
    }

    private static Path configuration(Path directory, String health, int webhooks)
            throws IOException {
        // In a pod, the kubelet would mount the Secret here.
        Path certificates = Files.createDirectories(directory.resolve("certificates"));
        CertificateAuthority.Issued shown =
                CertificateAuthority.in(directory.resolve("authority"))
                        .issue("webhooks", CertificateAuthority.LOOPBACK);
        Files.copy(shown.certificate(), certificates.resolve("tls.crt"));
        Files.copy(shown.key(), certificates.resolve("tls.key"));
        return Files.writeString(
                directory.resolve("kueue.yaml"),
                """
                apiVersion: config.kueue.x-k8s.io/v1beta2
                kind: Configuration
                namespace: %s
                health: {healthProbeBindAddress: "%s"}
                metrics: {bindAddress: "0"}
                webhook: {host: 127.0.0.1, port: %d, certDir: "%s"}
                leaderElection: {leaderElect: false}
                internalCertManagement: {enable: true, webhookServiceName: kueue-webhook-service, webhookSecretName: %s}
                integrations: {frameworks: [batch/job]}
                featureGates: {VisibilityOnDemand: false}
                """
                        .formatted(NAMESPACE, health, webhooks, certificates, SECRET));
    }
}
