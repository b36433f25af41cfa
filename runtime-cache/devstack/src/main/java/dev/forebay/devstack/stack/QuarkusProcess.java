package dev.forebay.devstack.stack;

import dev.forebay.devstack.fault.WrongClock;
import dev.forebay.devstack.program.JavaCommand;
import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.OneProcessServer;
import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.server.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;

/** A worker, an agent or the control plane. */
public final class QuarkusProcess extends OneProcessServer {
    private static final String HEAP = "-Xmx384m";

    private final URI address;

    private QuarkusProcess(ServerProcess process, URI address) {
        super(process);
        this.address = address;
    }

    /**
     * Starts a process and returns when it reports that it is ready.
     *
     * @param tls for connections to a process that speaks TLS
     * @param java starts the program
     * @param properties its settings, written to {@code application.properties} in the directory
     * @param secrets settings that only the environment carries
     * @param clockAhead how far its clock is ahead of this machine's
     */
    static QuarkusProcess start(
            String name,
            Path directory,
            JavaCommand java,
            int port,
            Optional<SSLContext> tls,
            Map<String, String> properties,
            Map<String, String> secrets,
            Duration clockAhead,
            Launch.Lifetime lifetime) {
        Path file = directory.resolve("application.properties");
        Map<String, String> all = new TreeMap<>(properties);
        all.put("quarkus.http.host", "127.0.0.1");
        all.put("quarkus.http.port", Integer.toString(port));
        // Overrides the file in the jar (250), and is overridden by the environment (300).
        all.put("config_ordinal", "275");
        write(file, all);
        List<String> command = new ArrayList<>(WrongClock.ahead(clockAhead));
        command.addAll(java.options(HEAP, "-Dquarkus.config.locations=" + location(file)).build());
        URI address = URI.create((tls.isPresent() ? "https" : "http") + "://127.0.0.1:" + port);
        URI ready = address.resolve("/q/health/ready");
        Launch launch =
                Launch.of(
                                name,
                                directory,
                                command,
                                secrets,
                                tls.map(context -> Readiness.ok(ready, context))
                                        .orElseGet(() -> Readiness.ok(ready)),
                                lifetime)
                        .stoppedWithin(java.endsWithin());
        return new QuarkusProcess(ServerProcess.start(launch), address);
    }

    /** Returns the address for clients. */
    public URI address() {
        return address;
    }

    /** Returns the address of the metrics, in Prometheus's text format. */
    public URI metrics() {
        return address.resolve("/q/metrics");
    }

    /**
     * Returns the file as a URI for Quarkus's list of URIs, with commas escaped: a comma separates
     * the elements of the list.
     */
    private static String location(Path file) {
        return file.toUri().toString().replace(",", "%2C");
    }

    private static void write(Path file, Map<String, String> properties) {
        StringJoiner lines = new StringJoiner("\n", "", "\n");
        properties.forEach((name, value) -> lines.add(name + "=" + value.replace("\\", "\\\\")));
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, lines.toString(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
