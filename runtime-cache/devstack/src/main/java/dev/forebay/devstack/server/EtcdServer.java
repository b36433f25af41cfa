package dev.forebay.devstack.server;

import dev.forebay.devstack.tls.CertificateAuthority;
import dev.forebay.devstack.tool.Toolbox;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A single etcd. Ready in about 0.2 s. */
public final class EtcdServer extends OneProcessServer {
    private final URI endpoint;

    private EtcdServer(ServerProcess process, URI endpoint) {
        super(process);
        this.endpoint = endpoint;
    }

    /** Starts etcd on free ports, to end with this JVM at the latest. */
    public static EtcdServer start(Path directory) {
        return start(directory, Ports.free(), Ports.free(), Launch.Lifetime.THIS_JVM);
    }

    /**
     * Starts etcd.
     *
     * @param port for clients
     * @param peerPort for other members, of which there are none
     */
    public static EtcdServer start(
            Path directory, int port, int peerPort, Launch.Lifetime lifetime) {
        URI endpoint = URI.create("http://127.0.0.1:" + port);
        return start(directory, endpoint, peerPort, endpoint, List.of(), lifetime);
    }

    /**
     * Starts one that speaks TLS to clients, and to no others than those that show a certificate,
     * on free ports, to end with this JVM at the latest.
     *
     * @param shown what it shows
     * @param authority who signs what it is shown, in PEM
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
        return start(
                directory,
                URI.create("https://127.0.0.1:" + Ports.free()),
                Ports.free(),
                health,
                tls,
                Launch.Lifetime.THIS_JVM);
    }

    private static EtcdServer start(
            Path directory,
            URI endpoint,
            int peerPort,
            URI health,
            List<String> more,
            Launch.Lifetime lifetime) {
        Path absolute = directory.toAbsolutePath();
        String peer = "http://127.0.0.1:" + peerPort;
        List<String> command = new ArrayList<>();
        command.add(Toolbox.ofThisMachine().etcd().toString());
        command.addAll(
                List.of(
                        "--name=devstack",
                        "--data-dir=" + absolute.resolve("data"),
                        "--listen-client-urls=" + endpoint,
                        "--advertise-client-urls=" + endpoint,
                        "--listen-peer-urls=" + peer,
                        "--initial-advertise-peer-urls=" + peer,
                        "--initial-cluster=devstack=" + peer,
                        "--log-level=warn",
                        // What this guards against is a crash of the machine, not of the process.
                        "--unsafe-no-fsync"));
        command.addAll(more);
        Launch launch =
                Launch.of(
                        "etcd",
                        absolute,
                        command,
                        Map.of(),
                        Readiness.ok(health.resolve("/health")),
                        lifetime);
        return new EtcdServer(ServerProcess.start(launch), endpoint);
    }

    /** Where clients connect, such as {@code http://127.0.0.1:23790}. */
    public URI endpoint() {
        return endpoint;
    }
}
