package dev.forebay.devstack.cli;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.Reader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Stands in for Forebay's own programs, which this module must not know. It serves on the given
 * port. As FUSE pod or holder it also mounts a tmpfs, into which a pod writes one file. A file
 * {@code fails} or {@code hangs} beside its jar makes it fail or hang.
 */
final class StandIn {
    private StandIn() {}

    /** Writes the jars of a built repository. */
    static void buildInto(Path home) throws IOException, URISyntaxException {
        Files.createDirectories(home);
        Files.createFile(home.resolve("mvnw"));
        for (String jar :
                List.of(
                        "runtime-cache/worker/target/quarkus-app/quarkus-run.jar",
                        "activities/target/quarkus-app/quarkus-run.jar",
                        "runtime-cache/fuse/target/forebay-fuse/forebay-fuse.jar")) {
            Manifest manifest = new Manifest();
            Attributes attributes = manifest.getMainAttributes();
            attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
            attributes.put(Attributes.Name.MAIN_CLASS, StandIn.class.getName());
            attributes.put(
                    Attributes.Name.CLASS_PATH,
                    StandIn.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI()
                            .toString());
            Path file = home.resolve(jar);
            Files.createDirectories(file.getParent());
            new JarOutputStream(Files.newOutputStream(file), manifest).close();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Path jar = Path.of(System.getProperty("java.class.path"));
        if (Files.exists(jar.resolveSibling("fails"))) {
            System.out.println("the stand-in was told to fail");
            System.exit(1);
        }
        if (Files.exists(jar.resolveSibling("hangs"))) {
            Thread.sleep(Long.MAX_VALUE);
        }
        List<String> options = List.of(arguments);
        if (options.contains("hold")) {
            Path meeting = Files.createDirectories(Path.of(option(options, "--holder")));
            Files.writeString(meeting.resolve("mountpoint"), option(options, "--mountpoint"));
            mount(option(options, "--mountpoint"));
            Thread.sleep(Long.MAX_VALUE);
        } else if (options.contains("--region")) {
            if (options.contains("--mountpoint")) {
                mount(option(options, "--mountpoint"));
            }
            Files.writeString(mountpoint(options).resolve("region"), option(options, "--region"));
            serve(Integer.parseInt(option(options, "--metrics-port")));
        } else {
            Properties settings = new Properties();
            try (Reader reader =
                    Files.newBufferedReader(
                            Path.of(URI.create(System.getProperty("quarkus.config.locations"))))) {
                settings.load(reader);
            }
            serve(Integer.parseInt(settings.getProperty("quarkus.http.port")));
        }
    }

    private static String option(List<String> options, String name) {
        return options.get(options.indexOf(name) + 1);
    }

    private static void mount(String mountpoint) {
        run("mount", "-t", "tmpfs", "stand-in", mountpoint);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> run("umount", mountpoint)));
    }

    /** Returns the pod's own mountpoint, or that of its holder, which mounts before pods start. */
    private static Path mountpoint(List<String> options) throws IOException {
        return Path.of(
                options.contains("--mountpoint")
                        ? option(options, "--mountpoint")
                        : Files.readString(Path.of(option(options, "--holder"), "mountpoint")));
    }

    private static void serve(int port) throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext(
                "/",
                exchange -> {
                    exchange.sendResponseHeaders(200, -1);
                    exchange.close();
                });
        server.start();
    }

    private static void run(String... command) {
        try {
            int status = new ProcessBuilder(command).inheritIO().start().waitFor();
            if (status != 0) {
                throw new IllegalStateException(String.join(" ", command) + ": " + status);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
