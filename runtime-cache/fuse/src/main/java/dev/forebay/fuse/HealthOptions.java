package dev.forebay.fuse;

import dev.forebay.fuse.options.PodOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for the health endpoint of a program without metrics. */
@SuppressWarnings("NullAway.Init") // picocli sets what has a default
final class HealthOptions {

    /**
     * The timeout of a program's check of itself. A busy node may not run it for seconds, and a
     * restart would not help.
     */
    static final Duration TIMEOUT = Duration.ofSeconds(10);

    @Option(
            names = "--health-port",
            defaultValue = "${env:FOREBAY_FUSE_HEALTH_PORT:-" + Option.NULL_VALUE + "}",
            paramLabel = "P",
            description =
                    "Port of /health/live and /health/ready. Absent: none. 0: any."
                            + " FOREBAY_FUSE_HEALTH_PORT")
    @Nullable Integer port;

    @Option(
            names = "--health-address",
            defaultValue = "${env:FOREBAY_FUSE_HEALTH_ADDRESS:-127.0.0.1}",
            paramLabel = "ADDRESS",
            description =
                    "The address of that port (default: 127.0.0.1). 0.0.0.0 for all addresses of "
                            + "this machine or container. FOREBAY_FUSE_HEALTH_ADDRESS")
    InetAddress address;

    /**
     * Starts the endpoint if a port is given.
     *
     * @param live returns whether the program works; if not, a supervisor may restart it
     * @param ready returns whether other programs can rely on it
     */
    Optional<PodServer> serve(BooleanSupplier live, BooleanSupplier ready) {
        if (port == null) {
            return Optional.empty();
        }
        PodOptions.requireWithin("--health-port", port, 0, PodOptions.MAX_PORT);
        return Optional.of(PodServer.ofHealth(new InetSocketAddress(address, port), live, ready));
    }
}
