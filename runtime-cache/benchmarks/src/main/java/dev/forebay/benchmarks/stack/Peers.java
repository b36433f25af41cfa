package dev.forebay.benchmarks.stack;

import dev.forebay.benchmarks.measure.BenchmarkedSystem;
import dev.forebay.benchmarks.measure.Command;
import dev.forebay.devstack.mount.Mounts;
import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.OneProcessServer;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.devstack.server.ServerProcess;
import dev.forebay.devstack.tool.Toolbox;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Other programs that provide the functions of Forebay, or some of them, over the same lake. */
public final class Peers implements AutoCloseable {
    private static final int STREAMS = 4;

    private final Toolbox toolbox = Toolbox.ofThisMachine();
    private final Lake lake;
    private final Path data;
    private @Nullable ServerProcess nginx;
    private int nginxPort;

    public Peers(Lake lake, Path data) {
        this.lake = lake;
        this.data = data;
    }

    /** A program with a mount, which ends with it. */
    public static final class Mounted extends OneProcessServer {
        private final Path mountpoint;

        private Mounted(ServerProcess process, Path mountpoint) {
            super(process);
            this.mountpoint = mountpoint;
        }

        Path mountpoint() {
            return mountpoint;
        }

        @Override
        public void close() {
            Mounts.detach(mountpoint);
            super.close();
        }
    }

    /** Starts {@link StockMirror} over the raw directory, in a JVM like a pod's. */
    public Mounted stock() throws IOException {
        Path mountpoint = mountpoint(BenchmarkedSystem.STOCK);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC"));
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED"));
        command.add("--sun-misc-unsafe-memory-access=allow");
        toolbox.libfuse2().ifPresent(path -> command.add("-Djnr.ffi.library.path=" + path));
        command.addAll(List.of("-cp", classPath()));
        command.add(StockMirror.class.getName());
        command.addAll(List.of(lake.directory().toString(), mountpoint.toString()));
        return mount(BenchmarkedSystem.STOCK, mountpoint, command, Map.of());
    }

    /** Returns this JVM's class path with absolute paths, for a process in another directory. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    public Mounted rclone() throws IOException {
        Path mountpoint = mountpoint(BenchmarkedSystem.RCLONE);
        Map<String, String> environment = new HashMap<>(lake.environment());
        environment.put("RCLONE_S3_PROVIDER", "Other");
        environment.put("RCLONE_S3_ENDPOINT", lake.endpoint().toString());
        environment.put("RCLONE_S3_ENV_AUTH", "true");
        environment.put("RCLONE_S3_REGION", S3Server.REGION);
        environment.put("RCLONE_CONFIG", data.resolve("rclone.conf").toString());
        environment.put("PATH", toolbox.fusermount3().getParent() + ":" + System.getenv("PATH"));
        List<String> command =
                List.of(
                        toolbox.rclone().toString(),
                        "mount",
                        ":s3:" + Lake.BUCKET,
                        mountpoint.toString(),
                        "--read-only",
                        "--vfs-cache-mode=full",
                        "--cache-dir=" + cache(BenchmarkedSystem.RCLONE),
                        // Objects do not change, and the time of their upload is good enough.
                        // Otherwise rclone would send another request for each object.
                        "--dir-cache-time=1h",
                        "--attr-timeout=1h",
                        "--use-server-modtime",
                        "--vfs-fast-fingerprint");
        return mount(BenchmarkedSystem.RCLONE, mountpoint, command, environment);
    }

    public Mounted s3fs() throws IOException {
        Path mountpoint = mountpoint(BenchmarkedSystem.S3FS);
        Map<String, String> environment = new HashMap<>(lake.environment());
        environment.put("AWSACCESSKEYID", lake.server().accessKey());
        environment.put("AWSSECRETACCESSKEY", lake.server().secretKey());
        toolbox.libfuse2().ifPresent(path -> environment.put("LD_LIBRARY_PATH", path.toString()));
        List<String> command =
                List.of(
                        toolbox.s3fs().toString(),
                        Lake.BUCKET,
                        mountpoint.toString(),
                        "-f",
                        "-o",
                        String.join(
                                ",",
                                "ro",
                                "url=" + lake.endpoint(),
                                "endpoint=" + S3Server.REGION,
                                "use_path_request_style",
                                "use_cache=" + cache(BenchmarkedSystem.S3FS),
                                "max_stat_cache_size=1000000",
                                "kernel_cache"));
        return mount(BenchmarkedSystem.S3FS, mountpoint, command, environment);
    }

    private Mounted mount(
            BenchmarkedSystem contender,
            Path mountpoint,
            List<String> command,
            Map<String, String> environment) {
        Launch launch =
                Launch.of(
                        contender.label(),
                        data.resolve(contender.label()),
                        command,
                        environment,
                        () -> Mounts.isMounted(mountpoint),
                        Launch.Lifetime.THIS_JVM);
        return new Mounted(ServerProcess.start(launch), mountpoint);
    }

    private Path mountpoint(BenchmarkedSystem contender) throws IOException {
        return Files.createDirectories(data.resolve(contender.label()).resolve("mnt"));
    }

    private Path cache(BenchmarkedSystem contender) throws IOException {
        return Files.createDirectories(data.resolve(contender.label()).resolve("cache"));
    }

    /** Downloads a dataset into a new directory. */
    public void s5cmd(Dataset dataset) throws IOException, InterruptedException {
        Path target = Files.createTempDirectory(data, "s5cmd-");
        Command.run(
                lake.environment(),
                toolbox.s5cmd().toString(),
                "--endpoint-url",
                lake.endpoint().toString(),
                "--log",
                "error",
                "cp",
                "s3://%s/%s/*".formatted(Lake.BUCKET, dataset.name()),
                target + "/");
    }

    /** Returns nginx with sendfile over the raw directory. Starts it if necessary. */
    public ServerProcess nginx() throws IOException {
        ServerProcess there = nginx;
        if (there != null) {
            return there;
        }
        Path directory = Files.createDirectories(data.resolve("nginx"));
        nginxPort = Ports.free();
        Path config =
                Files.writeString(
                        directory.resolve("nginx.conf"),
                        """
                        user root;
                        daemon off;
                        worker_processes 2;
                        pid nginx.id;
                        events {}
                        http {
                          access_log off;
                          sendfile on;
                          tcp_nopush on;
                          keepalive_requests 1000000;
                          client_body_temp_path body;
                          proxy_temp_path proxy;
                          fastcgi_temp_path fastcgi;
                          uwsgi_temp_path uwsgi;
                          scgi_temp_path scgi;
                          server { listen 127.0.0.1:%d; root %s; }
                        }
                        """
                                .formatted(nginxPort, lake.directory()));
        ServerProcess started =
                ServerProcess.start(
                        Launch.of(
                                "nginx",
                                directory,
                                List.of(
                                        toolbox.nginx().toString(),
                                        "-e",
                                        directory.resolve("error.log").toString(),
                                        "-p",
                                        directory.toString(),
                                        "-c",
                                        config.toString()),
                                Map.of(),
                                Readiness.answers(
                                        URI.create("http://127.0.0.1:" + nginxPort + "/")),
                                Launch.Lifetime.THIS_JVM));
        nginx = started;
        return started;
    }

    /** Returns a command that reads a dataset from nginx by curl and discards it. */
    public String[] curl(Dataset dataset) throws IOException {
        nginx();
        StringBuilder config = new StringBuilder();
        for (String path : dataset.paths()) {
            config.append(
                    "url = http://127.0.0.1:%d/%s/%s%noutput = /dev/null%n"
                            .formatted(nginxPort, dataset.name(), path));
        }
        Path file = Files.writeString(data.resolve("curl-" + dataset.name()), config);
        return new String[] {
            "curl",
            "--silent",
            "--no-progress-meter",
            "--fail",
            "--parallel",
            "--parallel-max",
            Integer.toString(STREAMS),
            "--config",
            file.toString()
        };
    }

    @Override
    public void close() {
        if (nginx != null) {
            nginx.close();
        }
    }
}
