package dev.forebay.devstack.stack;

import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.OneProcessServer;
import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.server.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
        Path directory = layout.fuse(region);
        Path mountpoint = layout.mountpoint(region);
        clear(mountpoint);
        List<String> options =
                libraries.map(path -> List.of("-Djnr.ffi.library.path=" + path)).orElse(List.of());
        List<String> command = new ArrayList<>(Java.run(jar, HEAP_MEGABYTES, options));
        command.addAll(List.of("--region", region));
        command.addAll(List.of("--etcd-endpoints", etcdEndpoints));
        command.addAll(List.of("--mountpoint", mountpoint.toString()));
        command.addAll(List.of("--directory", directory.resolve("cache").toString()));
        command.addAll(List.of("--memory-cache", "256M"));
        transport.ifPresent(name -> command.addAll(List.of("--transport", name)));
        command.addAll(List.of("--metrics-port", Integer.toString(metricsPort)));
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
