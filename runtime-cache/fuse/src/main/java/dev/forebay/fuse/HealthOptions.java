package dev.forebay.fuse;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a program that has no metrics says whether it is well, if anywhere. */
@SuppressWarnings("NullAway.Init") // picocli sets what has a default
final class HealthOptions {

    /**
     * How long a program may take to answer its own question. A busy node may not run it for
     * seconds, and to start it again would not help.
     */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    @Option(
            names = "--health-port",
            defaultValue = "${env:FOREBAY_FUSE_HEALTH_PORT:-" + Option.NULL_VALUE + "}",
            paramLabel = "P",
            description =
                    "Port of /health/live and /health/ready: none, unless it is given; 0 for any."
                            + " FOREBAY_FUSE_HEALTH_PORT")
    @Nullable Integer port;

    @Option(
            names = "--health-address",
            defaultValue = "${env:FOREBAY_FUSE_HEALTH_ADDRESS:-127.0.0.1}",
            paramLabel = "ADDRESS",
            description =
                    "Where that port is: 127.0.0.1; 0.0.0.0 for all of this machine's or"
                            + " container's addresses. FOREBAY_FUSE_HEALTH_ADDRESS")
    InetAddress address;

    /**
     * Says it from now on, if it is to.
     *
     * @param live whether it does what it is there for; else somebody may start it again
     * @param ready whether others can count on it
     */
    Optional<PodServer> serve(BooleanSupplier live, BooleanSupplier ready) {
        if (port == null) {
            return Optional.empty();
        }
        PodOptions.requireWithin("--health-port", port, 0, PodOptions.MAX_PORT);
        return Optional.of(PodServer.ofHealth(new InetSocketAddress(address, port), live, ready));
    }
}
