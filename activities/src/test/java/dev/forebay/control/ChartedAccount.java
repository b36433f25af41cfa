package dev.forebay.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.kubernetes.KubernetesCluster;
import dev.forebay.devstack.tool.Toolbox;
import dev.forebay.testing.Await;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The account of a control plane, with the rights that the chart gives it, and no others. */
final class ChartedAccount {

    private static final String NAMESPACE = "forebay";
    private static final String NAME = "forebay-control-plane";
    private static final long LONG = 24 * 3600;

    private static final List<String> TEMPLATE =
            List.of(
                    "template",
                    NAMESPACE,
                    "../helm/forebay",
                    "--namespace=" + NAMESPACE,
                    "--kube-version=1.34.0",
                    "--show-only=templates/control-plane/datasets.yaml",
                    "--show-only=templates/control-plane/rights.yaml",
                    "--set=controlPlane.enabled=true",
                    "--set=controlPlane.datasets.enabled=true",
                    "--set=controlPlane.manifestBucket=forebay",
                    "--set=controlPlane.database.url=jdbc:postgresql://pg:5432/forebay",
                    "--set=controlPlane.database.secret=database",
                    "--set=image.registry=registry.example.com",
                    "--set=temporal.target=temporal:7233",
                    "--set=token.secret=token");

    private ChartedAccount() {}

    /**
     * Makes the account, and the definition of what it looks after.
     *
     * @return the file with which it reaches the API server
     */
    static Path install(KubernetesCluster cluster, Path directory)
            throws IOException, InterruptedException {
        KubernetesClient client = cluster.client();
        client.resource(
                        new NamespaceBuilder()
                                .withNewMetadata()
                                .withName(NAMESPACE)
                                .endMetadata()
                                .build())
                .create();
        client.resource(
                        new ServiceAccountBuilder()
                                .withNewMetadata()
                                .withNamespace(NAMESPACE)
                                .withName(NAME)
                                .endMetadata()
                                .build())
                .create();
        client.load(new ByteArrayInputStream(rendered().getBytes(StandardCharsets.UTF_8)))
                .resources()
                .forEach(resource -> resource.create());
        Await.until("the definition is in use", () -> isServed(client));
        String token =
                client.serviceAccounts()
                        .inNamespace(NAMESPACE)
                        .withName(NAME)
                        .tokenRequest(
                                new TokenRequestBuilder()
                                        .withNewSpec()
                                        .withExpirationSeconds(LONG)
                                        .endSpec()
                                        .build())
                        .getStatus()
                        .getToken();
        return Files.writeString(
                directory.resolve("control-plane.kubeconfig"),
                """
                apiVersion: v1
                kind: Config
                clusters:
                  - {name: c, cluster: {server: "%s", certificate-authority: "%s"}}
                users:
                  - {name: u, user: {token: "%s"}}
                contexts:
                  - {name: x, context: {cluster: c, user: u, namespace: %s}}
                current-context: x
                """
                        .formatted(
                                cluster.apiServer().address(),
                                client.getConfiguration().getCaCertFile(),
                                token,
                                NAMESPACE));
    }

    private static String rendered() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Toolbox.ofThisMachine().helm().toString());
        command.addAll(TEMPLATE);
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return text;
    }

    private static boolean isServed(KubernetesClient client) {
        var definition =
                client.apiextensions()
                        .v1()
                        .customResourceDefinitions()
                        .withName("datasets.forebay.dev")
                        .get();
        return definition != null
                && definition.getStatus() != null
                && definition.getStatus().getConditions().stream()
                        .anyMatch(
                                it ->
                                        it.getType().equals("Established")
                                                && it.getStatus().equals("True"));
    }
}
