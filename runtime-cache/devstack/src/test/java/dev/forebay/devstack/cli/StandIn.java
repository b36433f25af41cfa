package dev.forebay.devstack.cli;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.Reader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Stands in for Forebay's own programs, which this module must not know: serves on the port it is
 * given, and as FUSE pod mounts a tmpfs with one file. A file {@code fails} or {@code hangs} beside
 * its jar makes it do that.
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
        if (options.contains("--mountpoint")) {
            String mountpoint = options.get(options.indexOf("--mountpoint") + 1);
            run("mount", "-t", "tmpfs", "stand-in", mountpoint);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> run("umount", mountpoint)));
            Files.writeString(
                    Path.of(mountpoint, "region"), options.get(options.indexOf("--region") + 1));
            serve(Integer.parseInt(options.get(options.indexOf("--metrics-port") + 1)));
        } else {
            Properties settings = new Properties();
            try (Reader reader =
                    Files.newBufferedReader(
                            Path.of(System.getProperty("quarkus.config.locations")))) {
                settings.load(reader);
            }
            serve(Integer.parseInt(settings.getProperty("quarkus.http.port")));
        }
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
