package dev.forebay.devstack.kubernetes;

import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.Server;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A cluster on loopback with simulated nodes: an API server with its own etcd, the controller
 * manager, the scheduler, and kwok, which runs no containers. Tests can see what Kubernetes does
 * with objects, but not what an image does. Starts in about 12 s.
 */
public final class KubernetesCluster implements AutoCloseable {
    /** The annotation of simulated nodes. */
    static final Map.Entry<String, String> PLAYED = Map.entry("kwok.x-k8s.io/node", "fake");

    private static final int NODE_READY_SECONDS = 60;

    private static final Map<String, Quantity> SIZE =
            Map.of(
                    "cpu", new Quantity("64"),
                    "memory", new Quantity("512Gi"),
                    "ephemeral-storage", new Quantity("1Ti"),
                    "pods", new Quantity("110"));

    private final Deque<Runnable> started;
    private final EtcdServer etcd;
    private final ApiServer apiServer;
    private final Controller manager;
    private final Controller scheduler;
    private final Controller kwok;
    private final Path kubeconfig;
    private final KubernetesClient client;

    private KubernetesCluster(Path directory, Deque<Runnable> started) {
        this.started = started;
        Credentials credentials = new Credentials(directory.resolve("credentials"));
        etcd = started(EtcdServer.start(directory.resolve("etcd")));
        apiServer =
                started(ApiServer.start(directory.resolve("kube-apiserver"), etcd, credentials));
        manager =
                started(
                        Controller.manager(
                                directory.resolve("kube-controller-manager"),
                                apiServer,
                                credentials));
        scheduler =
                started(
                        Controller.scheduler(
                                directory.resolve("kube-scheduler"), apiServer, credentials));
        kwok = started(Controller.kwok(directory.resolve("kwok"), apiServer, credentials));
        kubeconfig = credentials.kubeconfig(credentials.admin(), apiServer.address());
        // Ignores the user's own kubeconfig and environment.
        Config config =
                new ConfigBuilder(Config.empty())
                        .withMasterUrl(apiServer.address().toString())
                        .withCaCertFile(credentials.authority().toString())
                        .withOauthToken(credentials.admin().token())
                        .build();
        client = new KubernetesClientBuilder().withConfig(config).build();
        started.push(client::close);
    }

    private <T extends Server> T started(T server) {
        started.push(server::close);
        return server;
    }

    /** Starts a cluster without nodes. It ends with this JVM at the latest. */
    public static KubernetesCluster start(Path directory) {
        Deque<Runnable> started = new ArrayDeque<>();
        try {
            return new KubernetesCluster(directory.toAbsolutePath(), started);
        } catch (RuntimeException e) {
            close(started);
            throw e;
        }
    }

    /**
     * Adds nodes, and returns when they are ready.
     *
     * @param prefix of their names, which end with a number from 0 on
     * @param labels besides the usual ones
     * @return their names
     */
    public List<String> addNodes(
            String prefix, int count, Map<String, String> labels, Taint... taints) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = prefix + "-" + i;
            client.resource(node(name, labels, taints)).create();
            names.add(name);
        }
        for (String name : names) {
            client.nodes().withName(name).waitUntilReady(NODE_READY_SECONDS, TimeUnit.SECONDS);
        }
        return List.copyOf(names);
    }

    private static Node node(String name, Map<String, String> labels, Taint... taints) {
        return new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .addToAnnotations(PLAYED.getKey(), PLAYED.getValue())
                .addToLabels("kubernetes.io/hostname", name)
                .addToLabels("kubernetes.io/os", "linux")
                .addToLabels("kubernetes.io/arch", "amd64")
                .addToLabels(labels)
                .endMetadata()
                .withNewSpec()
                .withTaints(taints)
                .endSpec()
                .withNewStatus()
                .withAllocatable(SIZE)
                .withCapacity(SIZE)
                .endStatus()
                .build();
    }

    /** Returns a client with all rights. It ends with the cluster. */
    public KubernetesClient client() {
        return client;
    }

    /** Returns a kubeconfig with all rights for other programs. Only its owner can read it. */
    public Path kubeconfig() {
        return kubeconfig;
    }

    /** Returns the etcd that holds all objects. */
    public EtcdServer etcd() {
        return etcd;
    }

    /** Returns the API server, for faults. */
    public ApiServer apiServer() {
        return apiServer;
    }

    /** Returns the controller manager, for faults. */
    public Controller controllerManager() {
        return manager;
    }

    /** Returns the scheduler, for faults. */
    public Controller scheduler() {
        return scheduler;
    }

    /** Returns the process that simulates the nodes, for faults. */
    public Controller nodes() {
        return kwok;
    }

    /** Stops all servers in the reverse order of their start. Idempotent. */
    @Override
    public void close() {
        close(started);
    }

    private static void close(Deque<Runnable> started) {
        if (!started.isEmpty()) {
            try {
                started.pop().run();
            } finally {
                close(started);
            }
        }
    }
}
