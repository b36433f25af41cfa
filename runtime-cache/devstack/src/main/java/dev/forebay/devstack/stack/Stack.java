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
     * Starts everything and returns when all of it is ready.
     *
     * @throws DevstackException when something did not start; nothing is left running then, and no
     *     mount
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

    /** The base address of the REST API, without {@code /api/v1}. */
    public URI api() {
        return parts.controlPlane().address();
    }

    /** The control plane. */
    public QuarkusProcess controlPlane() {
        return parts.controlPlane();
    }

    /** A region by its name. */
    public Region region(String name) {
        return parts.regions().stream()
                .filter(region -> region.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new DevstackException("this stack has no region " + name));
    }

    /** All regions. */
    public List<Region> regions() {
        return parts.regions();
    }

    /** Temporal. */
    public TemporalServer temporal() {
        return own(parts.backing().temporal(), "Temporal");
    }

    /** PostgreSQL. */
    public PostgresServer postgres() {
        return own(parts.backing().postgres(), "PostgreSQL");
    }

    /** The lake. */
    public S3Server lake() {
        return own(parts.backing().lake(), "the lake");
    }

    /** Where a training process sees its region's versions; see {@link InRegion}. */
    public Path mountRoot() {
        return layout.mountRoot();
    }

    /** Where everything is, as people are told. */
    public Addresses addresses() {
        return Addresses.of(config, layout, parts);
    }

    /** Stops everything. Data stay; no process and no mount does. Idempotent. */
    @Override
    public void close() {
        stop(servers);
    }

    private static <T> T own(Optional<T> server, String name) {
        return server.orElseThrow(() -> new DevstackException(name + " is not this stack's own"));
    }

    /**
     * Ours first, then what they use, each group at once. FUSE pods end before workers, so that
     * nobody waits for bytes that do not come.
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
