package dev.forebay.devstack.stack;

import dev.forebay.devstack.mount.Mounts;
import dev.forebay.devstack.program.JavaCommand;
import dev.forebay.devstack.program.Program;
import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.OneProcessServer;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.server.ServerProcess;
import dev.forebay.devstack.tool.Toolbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A region's mount and the FUSE pod that serves it. Where this machine supports it, a holder keeps
 * the mount when the pod is killed, and a second pod may stand by. Otherwise a killed pod leaves a
 * dead mount behind.
 */
public final class FuseMount extends OneProcessServer {
    private static final String HEAP = "-Xmx512m";

    private final Path mountpoint;
    private final URI metrics;
    private final Optional<ServerProcess> holder;
    private final Launch standbyLaunch;
    private Optional<ServerProcess> standby = Optional.empty();

    private FuseMount(
            ServerProcess process,
            Path mountpoint,
            URI metrics,
            Optional<ServerProcess> holder,
            Launch standbyLaunch) {
        super(process);
        this.mountpoint = mountpoint;
        this.metrics = metrics;
        this.holder = holder;
        this.standbyLaunch = standbyLaunch;
    }

    static FuseMount start(
            String region,
            String etcdEndpoints,
            Layout layout,
            JavaCommand pod,
            JavaCommand holding,
            Optional<Path> libraries,
            Optional<String> transport,
            Map<String, String> access,
            int metricsPort,
            Launch.Lifetime lifetime) {
        Map<String, String> options = new LinkedHashMap<>(access);
        transport.ifPresent(name -> options.put("--transport", name));
        Path mountpoint = layout.mountpoint(region);
        clear(mountpoint);
        Optional<ServerProcess> holder =
                MountHolder.canHold(transport)
                        ? Optional.of(
                                MountHolder.start(
                                        layout.holder(region), mountpoint, holding, lifetime))
                        : Optional.empty();
        try {
            return start(
                    region,
                    etcdEndpoints,
                    layout.fuse(region),
                    mountpoint,
                    pod,
                    libraries,
                    options,
                    metricsPort,
                    lifetime,
                    holder);
        } catch (RuntimeException e) {
            holder.ifPresent(ServerProcess::close);
            throw e;
        }
    }

    /**
     * Starts another pod in a region, as on another node. It ends with this JVM at the latest. It
     * is not part of the stack: close it before the stack.
     *
     * @param directory for its data, and for its mount in {@code mnt}
     * @param options of the pod by name, which add to or replace those of a stack's pods
     */
    public static FuseMount another(Region region, Path directory, Map<String, String> options) {
        clear(directory.resolve("mnt"));
        return start(
                region.name(),
                region.etcd().endpoint().toString(),
                directory,
                directory.resolve("mnt"),
                Repository.current().command(Program.POD),
                Toolbox.ofThisMachine().libfuse2(),
                options,
                Ports.free(),
                Launch.Lifetime.THIS_JVM,
                Optional.empty());
    }

    private static FuseMount start(
            String region,
            String etcdEndpoints,
            Path directory,
            Path mountpoint,
            JavaCommand pod,
            Optional<Path> libraries,
            Map<String, String> otherwise,
            int metricsPort,
            Launch.Lifetime lifetime,
            Optional<ServerProcess> holder) {
        pod.options(HEAP);
        libraries.ifPresent(path -> pod.options("-Djnr.ffi.library.path=" + path));
        Map<String, String> options = new LinkedHashMap<>();
        options.put("--region", region);
        options.put("--etcd-endpoints", etcdEndpoints);
        if (holder.isPresent()) {
            options.put("--holder", MountHolder.meeting(holder.get()).toString());
            options.put("--cache-directory", directory.resolve("cache").toString());
        } else {
            options.put("--mountpoint", mountpoint.toString());
        }
        options.put("--memory-cache", "256M");
        options.putAll(otherwise);
        List<String> command = new ArrayList<>(pod.build());
        options.forEach((name, value) -> command.addAll(List.of(name, value)));
        URI address = URI.create("http://127.0.0.1:" + metricsPort);
        Readiness ready = Readiness.ok(address.resolve("/health/ready"));
        Launch launch =
                Launch.of(
                                "fuse",
                                directory,
                                withOwn(command, directory, metricsPort),
                                Map.of(),
                                () -> Mounts.isMounted(mountpoint) && ready.ready(),
                                lifetime)
                        .stoppedWithin(pod.endsWithin());
        Path other = directory.resolveSibling("standby");
        Launch standby =
                Launch.of(
                        "standby",
                        other,
                        withOwn(command, other, 0),
                        Map.of(),
                        () -> true,
                        lifetime);
        return new FuseMount(
                ServerProcess.start(launch),
                mountpoint,
                address.resolve("/metrics"),
                holder,
                standby);
    }

    /** Adds the options that must differ between pods. */
    private static List<String> withOwn(List<String> command, Path directory, int metricsPort) {
        List<String> all = new ArrayList<>(command);
        all.addAll(List.of("--directory", directory.resolve("cache").toString()));
        all.addAll(List.of("--metrics-port", Integer.toString(metricsPort)));
        return all;
    }

    /** Starts a standby pod if there is a holder, without waiting until it serves. */
    synchronized void startStandby() {
        if (holder.isPresent()) {
            standby = Optional.of(ServerProcess.start(standbyLaunch));
        }
    }

    /** Returns the folder that shows the region's versions as files. */
    public Path mountpoint() {
        return mountpoint;
    }

    /** Returns the address of the metrics, in Prometheus's text format. */
    public URI metrics() {
        return metrics;
    }

    /**
     * Simulates a power failure of the node. It kills the pods and the holder by SIGKILL, and
     * removes the mount and the holder's files, which usually are in {@code /run}. Files on the
     * node's disk stay. {@link #restart()} starts the holder and the pod again.
     */
    public synchronized void powerOff() {
        standby.ifPresent(ServerProcess::kill9);
        kill9();
        holder.ifPresent(ServerProcess::kill9);
        clear(mountpoint);
        holder.map(MountHolder::meeting).ifPresent(FuseMount::delete);
    }

    @Override
    public void restart() {
        super.close();
        if (holder.filter(ServerProcess::isAlive).isEmpty()) {
            clear(mountpoint);
            holder.ifPresent(ServerProcess::restart);
        }
        super.restart();
    }

    @Override
    public synchronized void close() {
        standby.ifPresent(ServerProcess::close);
        super.close();
        holder.ifPresent(ServerProcess::close);
        if (Mounts.isMounted(mountpoint)) {
            Mounts.detach(mountpoint);
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void clear(Path mountpoint) {
        while (Mounts.isMounted(mountpoint)) {
            Mounts.detach(mountpoint);
        }
        try {
            Files.createDirectories(mountpoint);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
