package dev.forebay.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.kubernetes.KubernetesCluster;
import dev.forebay.devstack.tool.Toolbox;
import io.fabric8.kubernetes.api.model.HasMetadata;
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
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/** A Kubernetes account with exactly the rights that the chart gives to a component. */
public final class ChartedAccount {

    /** The namespace and release name of the account. */
    public static final String NAMESPACE = "forebay";

    private static final long LONG = 24 * 3600;

    private static final List<String> TEMPLATE =
            List.of(
                    "template",
                    NAMESPACE,
                    "../helm/forebay",
                    "--namespace=" + NAMESPACE,
                    "--kube-version=1.34.0",
                    "--set=image.registry=registry.example.com",
                    "--set=temporal.target=temporal:7233",
                    "--set=token.secret=token");

    private ChartedAccount() {}

    /**
     * Creates the account, in a namespace of its own.
     *
     * @param component such as {@code agent}
     * @param more further arguments for Helm: values, and templates to install, too
     * @return the kubeconfig file of the account
     */
    public static Path install(
            KubernetesCluster cluster, Path directory, String component, String... more)
            throws IOException, InterruptedException {
        return install(cluster, directory, component, UnaryOperator.identity(), more);
    }

    /**
     * As above.
     *
     * @param adapted adapts the chart's objects to this cluster
     */
    public static Path install(
            KubernetesCluster cluster,
            Path directory,
            String component,
            UnaryOperator<HasMetadata> adapted,
            String... more)
            throws IOException, InterruptedException {
        KubernetesClient client = cluster.client();
        String name = NAMESPACE + "-" + component;
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
                                .withName(name)
                                .endMetadata()
                                .build())
                .create();
        String objects = rendered(component, more);
        client.load(new ByteArrayInputStream(objects.getBytes(StandardCharsets.UTF_8)))
                .items()
                .forEach(object -> client.resource(adapted.apply(object)).create());
        String token =
                client.serviceAccounts()
                        .inNamespace(NAMESPACE)
                        .withName(name)
                        .tokenRequest(
                                new TokenRequestBuilder()
                                        .withNewSpec()
                                        .withExpirationSeconds(LONG)
                                        .endSpec()
                                        .build())
                        .getStatus()
                        .getToken();
        return Files.writeString(
                directory.resolve(component + ".kubeconfig"),
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

    private static String rendered(String component, String... more)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Toolbox.ofThisMachine().helm().toString());
        command.addAll(TEMPLATE);
        command.add("--show-only=templates/%s/rights.yaml".formatted(component));
        command.addAll(Arrays.asList(more));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return text;
    }
}
