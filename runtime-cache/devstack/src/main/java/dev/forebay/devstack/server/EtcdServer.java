package dev.forebay.devstack.server;

import dev.forebay.devstack.tls.CertificateAuthority;
import dev.forebay.devstack.tool.Toolbox;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An etcd, alone or as a member of an {@link EtcdCluster}. Alone it is ready in about 0.2 s. */
public final class EtcdServer extends OneProcessServer {
    private static final String ALONE = "devstack";

    private final String member;
    private final URI endpoint;
    private final URI peer;
    private final Path data;

    private EtcdServer(ServerProcess process, String member, URI endpoint, URI peer, Path data) {
        super(process);
        this.member = member;
        this.endpoint = endpoint;
        this.peer = peer;
        this.data = data;
    }

    /** Starts etcd on free ports. It ends with this JVM at the latest. */
    public static EtcdServer start(Path directory) {
        return start(directory, Ports.free(), Ports.free(), Launch.Lifetime.THIS_JVM);
    }

    /**
     * Starts etcd.
     *
     * @param port for clients
     * @param peerPort for other members, although there are none
     */
    public static EtcdServer start(
            Path directory, int port, int peerPort, Launch.Lifetime lifetime) {
        URI endpoint = URI.create("http://127.0.0.1:" + port);
        return alone(directory, endpoint, peerPort, endpoint, List.of(), lifetime);
    }

    /**
     * Starts an etcd that requires TLS and a certificate from its clients, on free ports. It ends
     * with this JVM at the latest.
     *
     * @param shown the server's certificate
     * @param authority that signs the certificates of clients, in PEM
     */
    public static EtcdServer startEncrypted(
            Path directory, CertificateAuthority.Issued shown, Path authority) {
        URI health = URI.create("http://127.0.0.1:" + Ports.free());
        List<String> tls =
                List.of(
                        "--cert-file=" + shown.certificate(),
                        "--key-file=" + shown.key(),
                        "--client-cert-auth",
                        "--trusted-ca-file=" + authority,
                        "--listen-metrics-urls=" + health);
        return alone(
                directory,
                URI.create("https://127.0.0.1:" + Ports.free()),
                Ports.free(),
                health,
                tls,
                Launch.Lifetime.THIS_JVM);
    }

    private static EtcdServer alone(
            Path directory,
            URI endpoint,
            int peerPort,
            URI health,
            List<String> more,
            Launch.Lifetime lifetime) {
        URI peer = URI.create("http://127.0.0.1:" + peerPort);
        List<String> options = new ArrayList<>(more);
        // A sync protects from a crash of the machine, not of the process.
        options.add("--unsafe-no-fsync");
        return start(
                directory, ALONE, endpoint, peer, ALONE + "=" + peer, health, options, lifetime);
    }

    /**
     * Starts a member of a cluster, which is ready when the cluster has a leader. It syncs its
     * writes, as members do, and ends with this JVM at the latest.
     *
     * @param name in the cluster
     * @param cluster the names and addresses of all members, in the format of {@code
     *     --initial-cluster}
     */
    static EtcdServer member(Path directory, String name, URI endpoint, URI peer, String cluster) {
        return start(
                directory,
                name,
                endpoint,
                peer,
                cluster,
                endpoint,
                List.of(),
                Launch.Lifetime.THIS_JVM);
    }

    private static EtcdServer start(
            Path directory,
            String name,
            URI endpoint,
            URI peer,
            String cluster,
            URI health,
            List<String> more,
            Launch.Lifetime lifetime) {
        Path absolute = directory.toAbsolutePath();
        Path data = absolute.resolve("data");
        List<String> command = new ArrayList<>();
        command.add(Toolbox.ofThisMachine().etcd().toString());
        command.addAll(
                List.of(
                        "--name=" + name,
                        "--data-dir=" + data,
                        "--listen-client-urls=" + endpoint,
                        "--advertise-client-urls=" + endpoint,
                        "--listen-peer-urls=" + peer,
                        "--initial-advertise-peer-urls=" + peer,
                        "--initial-cluster=" + cluster,
                        "--log-level=warn"));
        command.addAll(more);
        Launch launch =
                Launch.of(
                        "etcd",
                        absolute,
                        command,
                        Map.of(),
                        Readiness.ok(health.resolve("/health")),
                        lifetime);
        return new EtcdServer(ServerProcess.start(launch), name, endpoint, peer, data);
    }

    /** Returns the name in the cluster. */
    public String member() {
        return member;
    }

    /** Returns the address for other members. */
    public URI peer() {
        return peer;
    }

    /** Returns the data directory. */
    public Path data() {
        return data;
    }

    /** Returns the address for clients, such as {@code http://127.0.0.1:23790}. */
    public URI endpoint() {
        return endpoint;
    }
}
