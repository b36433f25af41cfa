package dev.forebay.devstack.kubernetes;

import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.OneProcessServer;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.server.ServerProcess;
import dev.forebay.devstack.tool.Toolbox;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A process that watches the API server and acts: the controller manager, the scheduler, or kwok.
 * Each has one replica, so leader election is off.
 */
public final class Controller extends OneProcessServer {

    private Controller(ServerProcess process) {
        super(process);
    }

    /**
     * Starts all controllers that Kubernetes runs by default, each with the rights of its own
     * account.
     */
    static Controller manager(Path directory, ApiServer apiServer, Credentials credentials) {
        return ofKubernetes(
                "kube-controller-manager",
                directory,
                apiServer,
                credentials,
                credentials.controllers(),
                List.of(
                        "--use-service-account-credentials=true",
                        "--service-account-private-key-file=" + credentials.serviceAccountKey(),
                        "--root-ca-file=" + credentials.authority(),
                        // Higher limits than the default, because tests wait for the controllers.
                        "--kube-api-qps=200",
                        "--kube-api-burst=400"));
    }

    static Controller scheduler(Path directory, ApiServer apiServer, Credentials credentials) {
        return ofKubernetes(
                "kube-scheduler",
                directory,
                apiServer,
                credentials,
                credentials.scheduler(),
                List.of());
    }

    private static Controller ofKubernetes(
            String name,
            Path directory,
            ApiServer apiServer,
            Credentials credentials,
            Account account,
            List<String> more) {
        int port = Ports.free();
        List<String> command = new ArrayList<>();
        command.add(Toolbox.ofThisMachine().kubernetes().resolve(name).toString());
        command.add("--kubeconfig=" + credentials.kubeconfig(account, apiServer.address()));
        command.add("--bind-address=127.0.0.1");
        command.add("--secure-port=" + port);
        command.addAll(credentials.serverOptions());
        command.add("--leader-elect=false");
        command.addAll(more);
        URI health = URI.create("https://127.0.0.1:%d/healthz".formatted(port));
        return new Controller(
                ServerProcess.start(
                        Launch.of(
                                name,
                                directory,
                                command,
                                Map.of(),
                                Readiness.ok(health, credentials.context()),
                                Launch.Lifetime.THIS_JVM)));
    }

    /**
     * Simulates the nodes with the annotation {@link KubernetesCluster#PLAYED}, and the pods that
     * are scheduled to them. Nodes are ready, pods run at once, pods of Jobs then succeed, and
     * deleted objects disappear.
     */
    static Controller kwok(Path directory, ApiServer apiServer, Credentials credentials) {
        String address = "127.0.0.1:" + Ports.free();
        List<String> command =
                List.of(
                        Toolbox.ofThisMachine().kwok().toString(),
                        "--kubeconfig="
                                + credentials.kubeconfig(credentials.kwok(), apiServer.address()),
                        "--manage-all-nodes=false",
                        "--manage-nodes-with-annotation-selector="
                                + KubernetesCluster.PLAYED.getKey()
                                + "="
                                + KubernetesCluster.PLAYED.getValue(),
                        "--node-lease-duration-seconds=40",
                        "--server-address=" + address);
        return new Controller(
                ServerProcess.start(
                        Launch.of(
                                "kwok",
                                directory,
                                command,
                                // With the user's home kwok would read stages from there.
                                Map.of("HOME", directory.toString()),
                                Readiness.ok(URI.create("http://" + address + "/healthz")),
                                Launch.Lifetime.THIS_JVM)));
    }
}
