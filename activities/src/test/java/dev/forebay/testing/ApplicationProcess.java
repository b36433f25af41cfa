package dev.forebay.testing;

import dev.forebay.devstack.fault.NameServer;
import dev.forebay.devstack.fault.WrongClock;
import dev.forebay.devstack.program.JavaCommand;
import dev.forebay.devstack.program.Program;
import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.OneProcessServer;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.server.ServerProcess;
import dev.forebay.devstack.stack.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;

/** The packaged application, as a process of its own. */
public final class ApplicationProcess extends OneProcessServer {

    private static final String READY = "/q/health/ready";

    private final URI address;

    private ApplicationProcess(ServerProcess process, URI address) {
        super(process);
        this.address = address;
    }

    /**
     * Starts it and returns when it is ready.
     *
     * @param secrets become environment variables
     */
    public static ApplicationProcess start(
            String name,
            Path directory,
            Map<String, String> properties,
            Map<String, String> secrets) {
        return start(name, directory, properties, secrets, Duration.ZERO);
    }

    /** Starts it and returns when it is alive, ready or not. */
    public static ApplicationProcess startAlive(
            String name, Path directory, Map<String, String> properties) {
        URI address = http();
        Readiness alive = Readiness.ok(address.resolve("/q/health/live"));
        return start(name, directory, properties, Map.of(), List.of(), address, alive);
    }

    /**
     * Starts one with TLS, by its properties, and returns when it is ready.
     *
     * @param trusting its certificate
     */
    public static ApplicationProcess startEncrypted(
            String name,
            Path directory,
            Map<String, String> properties,
            Map<String, String> secrets,
            SSLContext trusting) {
        URI address = URI.create("https://127.0.0.1:" + Ports.free());
        Readiness ready = Readiness.ok(address.resolve(READY), trusting);
        return start(name, directory, properties, secrets, List.of(), address, ready);
    }

    /**
     * As {@link #start(String, Path, Map, Map)}, with another time of day.
     *
     * @param clockAhead how far its clock is ahead of this machine's, in whole seconds
     */
    public static ApplicationProcess start(
            String name,
            Path directory,
            Map<String, String> properties,
            Map<String, String> secrets,
            Duration clockAhead) {
        return start(name, directory, properties, secrets, WrongClock.ahead(clockAhead));
    }

    /** As {@link #start(String, Path, Map, Map)}, with a name server of its own. */
    public static ApplicationProcess start(
            String name,
            Path directory,
            Map<String, String> properties,
            Map<String, String> secrets,
            NameServer names) {
        return start(name, directory, properties, secrets, names.askedBy());
    }

    private static ApplicationProcess start(
            String name,
            Path directory,
            Map<String, String> properties,
            Map<String, String> secrets,
            List<String> prefix) {
        URI address = http();
        Readiness ready = Readiness.ok(address.resolve(READY));
        return start(name, directory, properties, secrets, prefix, address, ready);
    }

    private static Program program(Map<String, String> properties) {
        return "agent".equals(properties.get("forebay.role"))
                ? Program.AGENT
                : Program.CONTROL_PLANE;
    }

    /** Returns its temporary directory. */
    public static Path temporary(Path directory) {
        try {
            return Files.createDirectories(directory.resolve("tmp"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static URI http() {
        return URI.create("http://127.0.0.1:" + Ports.free());
    }

    private static ApplicationProcess start(
            String name,
            Path directory,
            Map<String, String> properties,
            Map<String, String> secrets,
            List<String> prefix,
            URI address,
            Readiness readiness) {
        List<String> command = new ArrayList<>(prefix);
        JavaCommand java =
                Repository.current()
                        .command(program(properties))
                        .withoutSecondCompiler()
                        .options("-Xmx256m")
                        .options("-Dquarkus.http.port=" + address.getPort())
                        .options("-Dforebay.work-directory=" + directory.resolve("work"))
                        .options("-Djava.io.tmpdir=" + temporary(directory));
        properties.forEach((key, value) -> java.options("-D" + key + "=" + value));
        command.addAll(java.build());
        Launch launch =
                Launch.of(name, directory, command, secrets, readiness, Launch.Lifetime.THIS_JVM);
        return new ApplicationProcess(ServerProcess.start(launch), address);
    }

    public URI address() {
        return address;
    }
}
