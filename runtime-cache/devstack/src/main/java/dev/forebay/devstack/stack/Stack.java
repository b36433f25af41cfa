package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.server.EphemeralPorts;
import dev.forebay.devstack.server.PostgresServer;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.devstack.server.Server;
import dev.forebay.devstack.server.TemporalServer;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A running Forebay.
 *
 * <pre>{@code
 * try (Stack stack = Stack.start(StackConfig.inDirectory(directory).build())) {
 *     stack.region("us-east-1").worker(0).kill9();
 *     ...
 * }
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class Stack implements AutoCloseable {
    private final StackConfig config;
    private final Layout layout;
    private final List<Server> servers;
    private final Startup.Parts parts;

    private Stack(StackConfig config, Layout layout, List<Server> servers, Startup.Parts parts) {
        this.config = config;
        this.layout = layout;
        this.servers = List.copyOf(servers);
        this.parts = parts;
    }

    /**
     * Starts all parts and returns when they are ready.
     *
     * @throws DevstackException if a part did not start; no process and no mount remains then
     */
    public static Stack start(StackConfig config) {
        Layout layout = new Layout(config.data());
        config.ports()
                .warning(EphemeralPorts.ofThisMachine(), config.regions().size())
                .ifPresent(config.progress());
        config.ports().requireFree(config.regions(), config.workersPerRegion());
        Tasks tasks = new Tasks(config.progress());
        try {
            Startup.Parts parts = new Startup(config, layout, tasks).all();
            tasks.close();
            if (config.standby()) {
                parts.regions().forEach(region -> region.fuse().startStandby());
            }
            return new Stack(config, layout, tasks.started(), parts);
        } catch (RuntimeException e) {
            tasks.close();
            try {
                stop(tasks.started());
            } catch (RuntimeException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
    }

    /** Returns the base address of the REST API, without {@code /api/v1}. */
    public URI api() {
        return parts.controlPlane().address();
    }

    /** Returns the control plane. */
    public QuarkusProcess controlPlane() {
        return parts.controlPlane();
    }

    /** Returns a region by its name. */
    public Region region(String name) {
        return parts.regions().stream()
                .filter(region -> region.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new DevstackException("this stack has no region " + name));
    }

    /** Returns all regions. */
    public List<Region> regions() {
        return parts.regions();
    }

    /** Returns Temporal. */
    public TemporalServer temporal() {
        return own(parts.backing().temporal(), "Temporal");
    }

    /** Returns PostgreSQL. */
    public PostgresServer postgres() {
        return own(parts.backing().postgres(), "PostgreSQL");
    }

    /** Returns the lake. */
    public S3Server lake() {
        return own(parts.backing().lake(), "the lake");
    }

    /**
     * Returns the folder where a training process sees its region's versions; see {@link InRegion}.
     */
    public Path mountRoot() {
        return layout.mountRoot();
    }

    /** Returns the addresses of all parts, for people. */
    public Addresses addresses() {
        return Addresses.of(config, layout, parts);
    }

    /** Stops all processes and removes all mounts. Data stay. Idempotent. */
    @Override
    public void close() {
        stop(servers);
    }

    private static <T> T own(Optional<T> server, String name) {
        return server.orElseThrow(() -> new DevstackException(name + " is not this stack's own"));
    }

    /**
     * Stops Forebay's processes first, then the servers that they use, each group in parallel. FUSE
     * pods end before workers, so that no pod waits for bytes that never arrive.
     */
    private static void stop(List<Server> servers) {
        List<Server> mounts = servers.stream().filter(FuseMount.class::isInstance).toList();
        List<Server> ours = servers.stream().filter(QuarkusProcess.class::isInstance).toList();
        List<Server> others = new ArrayList<>(servers);
        others.removeAll(mounts);
        others.removeAll(ours);
        AllAtOnce.groups(List.of(mounts, ours, others), Server::close);
    }
}
