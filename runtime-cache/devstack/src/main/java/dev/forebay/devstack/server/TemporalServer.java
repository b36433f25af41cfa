package dev.forebay.devstack.server;

import dev.forebay.devstack.tool.Toolbox;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Temporal's development server with its Web UI and the namespace {@code default}. A SQLite file
 * keeps histories, schedules and visibility over restarts. Ready in about 2 s.
 */
public final class TemporalServer extends OneProcessServer {
    private final int port;
    private final URI ui;

    private TemporalServer(ServerProcess process, int port, URI ui) {
        super(process);
        this.port = port;
        this.ui = ui;
    }

    /** The ports of a server: gRPC, Web UI, HTTP API, metrics. */
    public record PortSet(int grpc, int ui, int http, int metrics) {
        static PortSet free() {
            return new PortSet(Ports.free(), Ports.free(), Ports.free(), Ports.free());
        }
    }

    /** Starts Temporal on free ports. It ends with this JVM at the latest. */
    public static TemporalServer start(Path directory) {
        return start(directory, PortSet.free(), Launch.Lifetime.THIS_JVM);
    }

    /** Starts Temporal. */
    public static TemporalServer start(Path directory, PortSet ports, Launch.Lifetime lifetime) {
        Path absolute = directory.toAbsolutePath();
        List<String> command =
                List.of(
                        Toolbox.ofThisMachine().temporal().toString(),
                        "server",
                        "start-dev",
                        "--ip=127.0.0.1",
                        "--port=" + ports.grpc(),
                        "--ui-port=" + ports.ui(),
                        "--http-port=" + ports.http(),
                        "--metrics-port=" + ports.metrics(),
                        // A relative name: Temporal takes a path for a URI and decodes it.
                        "--db-filename=temporal.db",
                        "--log-level=warn",
                        // Every waiting ensureCached is an update in flight; the default is 10.
                        "--dynamic-config-value=history.maxInFlightUpdates=1000",
                        // Without fairness, Temporal ignores the keys of priority and fairness.
                        // Each partition of a queue has an order of its own, so there is only one.
                        "--dynamic-config-value=matching.enableFairness=true",
                        "--dynamic-config-value=matching.numTaskqueueReadPartitions=1",
                        "--dynamic-config-value=matching.numTaskqueueWritePartitions=1",
                        "--disable-config-file");
        URI namespace =
                URI.create("http://127.0.0.1:%d/api/v1/namespaces/default".formatted(ports.http()));
        Launch launch =
                Launch.of(
                        "temporal", absolute, command, Map.of(), Readiness.ok(namespace), lifetime);
        return new TemporalServer(
                ServerProcess.start(launch),
                ports.grpc(),
                URI.create("http://127.0.0.1:" + ports.ui()));
    }

    /** Returns the address for clients: {@code 127.0.0.1:port}. */
    public String target() {
        return "127.0.0.1:" + port;
    }

    /** Returns the address of the Web UI. */
    public URI ui() {
        return ui;
    }
}
