package dev.forebay.devstack.stack;

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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A region's FUSE pod and its mount. Killed, it leaves a dead mount behind, as in real life. */
public final class FuseMount extends OneProcessServer {
    private static final int HEAP_MEGABYTES = 512;

    private final Path mountpoint;
    private final URI metrics;

    private FuseMount(ServerProcess process, Path mountpoint, URI metrics) {
        super(process);
        this.mountpoint = mountpoint;
        this.metrics = metrics;
    }

    static FuseMount start(
            String region,
            String etcdEndpoints,
            Layout layout,
            Path jar,
            Optional<Path> libraries,
            Optional<String> transport,
            int metricsPort,
            Launch.Lifetime lifetime) {
        Map<String, String> options = new LinkedHashMap<>();
        transport.ifPresent(name -> options.put("--transport", name));
        return start(
                region,
                etcdEndpoints,
                layout.fuse(region),
                layout.mountpoint(region),
                jar,
                libraries,
                options,
                metricsPort,
                lifetime);
    }

    /**
     * Starts one more pod in a region, as on another node, to end with this JVM at the latest. It
     * is not part of the stack: close it before the stack.
     *
     * @param directory for what it keeps, and below it, as {@code mnt}, its mount
     * @param options of the pod, by name, beside those of a stack's or in their place
     */
    public static FuseMount another(Region region, Path directory, Map<String, String> options) {
        return start(
                region.name(),
                region.etcd().endpoint().toString(),
                directory,
                directory.resolve("mnt"),
                Repository.current().fuseJar(),
                Toolbox.ofThisMachine().libfuse2(),
                options,
                Ports.free(),
                Launch.Lifetime.THIS_JVM);
    }

    private static FuseMount start(
            String region,
            String etcdEndpoints,
            Path directory,
            Path mountpoint,
            Path jar,
            Optional<Path> libraries,
            Map<String, String> otherwise,
            int metricsPort,
            Launch.Lifetime lifetime) {
        clear(mountpoint);
        List<String> jvm =
                libraries.map(path -> List.of("-Djnr.ffi.library.path=" + path)).orElse(List.of());
        Map<String, String> options = new LinkedHashMap<>();
        options.put("--region", region);
        options.put("--etcd-endpoints", etcdEndpoints);
        options.put("--mountpoint", mountpoint.toString());
        options.put("--directory", directory.resolve("cache").toString());
        options.put("--memory-cache", "256M");
        options.put("--metrics-port", Integer.toString(metricsPort));
        options.putAll(otherwise);
        List<String> command = new ArrayList<>(Java.run(jar, HEAP_MEGABYTES, jvm));
        options.forEach((name, value) -> command.addAll(List.of(name, value)));
        URI address = URI.create("http://127.0.0.1:" + metricsPort);
        Readiness ready = Readiness.ok(address.resolve("/health/ready"));
        Launch launch =
                Launch.of(
                        "fuse",
                        directory,
                        command,
                        Map.of(),
                        () -> Mounts.isMounted(mountpoint) && ready.ready(),
                        lifetime);
        return new FuseMount(ServerProcess.start(launch), mountpoint, address.resolve("/metrics"));
    }

    /** Where the region's versions are as files. */
    public Path mountpoint() {
        return mountpoint;
    }

    /** Its metrics, in Prometheus's text format. */
    public URI metrics() {
        return metrics;
    }

    @Override
    public void restart() {
        super.close();
        clear(mountpoint);
        super.restart();
    }

    @Override
    public void close() {
        super.close();
        if (Mounts.isMounted(mountpoint)) {
            Mounts.detach(mountpoint);
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
