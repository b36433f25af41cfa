package dev.forebay.chart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.kubernetes.KubernetesCluster;
import dev.forebay.devstack.program.JavaCommand;
import dev.forebay.devstack.program.Program;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Simulates the pod of a Job that Helm created as a hook. It runs the program with the pod's
 * arguments and the rights of the pod's account. With {@link #VALUES} no node accepts the pod, so
 * Helm waits for it.
 */
final class HookPod {

    /** The values that keep the Job's pod off all nodes. */
    static final String VALUES = "{cleanUp: {nodeSelector: {played-by: the-test}}}";

    private static final Path REPOSITORY = Path.of("..");
    private static final long TOKEN_SECONDS = 3600;

    private final KubernetesClient client;
    private final Pod pod;
    private final Path kubeconfig;

    private HookPod(KubernetesClient client, Pod pod, Path kubeconfig) {
        this.client = client;
        this.pod = pod;
        this.kubeconfig = kubeconfig;
    }

    /** Waits until Helm has created the pod. */
    static HookPod await(KubernetesCluster cluster, Site site, String component, Path directory)
            throws IOException {
        Await.untilAsserted(() -> assertThat(site.pods(component)).hasSize(1));
        Pod pod = site.pods(component).firstEntry().getValue();
        KubernetesClient client = cluster.client();
        String token =
                client.serviceAccounts()
                        .inNamespace(pod.getMetadata().getNamespace())
                        .withName(pod.getSpec().getServiceAccountName())
                        .tokenRequest(
                                new TokenRequestBuilder()
                                        .withNewSpec()
                                        .withExpirationSeconds(TOKEN_SECONDS)
                                        .endSpec()
                                        .build())
                        .getStatus()
                        .getToken();
        Path kubeconfig = Files.createTempFile(directory, component, ".kubeconfig");
        Files.writeString(
                kubeconfig,
                """
                apiVersion: v1
                kind: Config
                clusters:
                  - {name: c, cluster: {server: "%s", certificate-authority: "%s"}}
                users:
                  - {name: u, user: {token: "%s"}}
                contexts:
                  - {name: x, context: {cluster: c, user: u}}
                current-context: x
                """
                        .formatted(
                                cluster.apiServer().address(),
                                client.getConfiguration().getCaCertFile(),
                                token));
        return new HookPod(client, pod, kubeconfig);
    }

    /** Runs the program until it ends, and returns its output. */
    String run() throws IOException, InterruptedException {
        List<String> command =
                JavaCommand.of(Program.CONTROL_PLANE, Program.CONTROL_PLANE.jar(REPOSITORY))
                        .withoutSecondCompiler()
                        .options("-Xmx256m")
                        .build();
        command.addAll(pod.getSpec().getContainers().getFirst().getArgs());
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("KUBECONFIG", kubeconfig.toString());
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    /** Sets the pod's status, so that Kubernetes and Helm see it as succeeded. */
    void succeed() {
        // A merge has no version that a controller could have changed meanwhile.
        client.resource(pod)
                .subresource("status")
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"status\":{\"phase\":\"Succeeded\"}}");
    }
}
