package dev.forebay.devstack.server;

import dev.forebay.devstack.tool.Toolbox;
import java.net.URI;
import java.nio.file.Path;
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
        Path absolute = directory.toAbsolutePath();
        URI endpoint = URI.create("http://127.0.0.1:" + port);
        String peer = "http://127.0.0.1:" + peerPort;
        List<String> command =
                List.of(
                        Toolbox.ofThisMachine().etcd().toString(),
                        "--name=devstack",
                        "--data-dir=" + absolute.resolve("data"),
                        "--listen-client-urls=" + endpoint,
                        "--advertise-client-urls=" + endpoint,
                        "--listen-peer-urls=" + peer,
                        "--initial-advertise-peer-urls=" + peer,
                        "--initial-cluster=devstack=" + peer,
                        "--log-level=warn",
                        // What this guards against is a crash of the machine, not of the process.
                        "--unsafe-no-fsync");
        Launch launch =
                Launch.of(
                        "etcd",
                        absolute,
                        command,
                        Map.of(),
                        Readiness.ok(endpoint.resolve("/health")),
                        lifetime);
        return new EtcdServer(ServerProcess.start(launch), endpoint);
    }

    /** Where clients connect, such as {@code http://127.0.0.1:23790}. */
    public URI endpoint() {
        return endpoint;
    }
}
