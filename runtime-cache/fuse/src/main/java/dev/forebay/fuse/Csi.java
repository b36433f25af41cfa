package dev.forebay.fuse;

import dev.forebay.fuse.csi.Driver;
import dev.forebay.fuse.csi.DriverConfig;
import dev.forebay.fuse.options.Mountpoint;
import dev.forebay.fuse.options.PodOptions;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The program {@code forebay-fuse csi}: publishes versions to pods as volumes. */
@Command(
        name = "forebay-fuse csi",
        mixinStandardHelpOptions = true,
        versionProvider = BuiltVersion.class,
        usageHelpAutoWidth = true,
        sortOptions = false,
        description = {
            "Driver csi.forebay.dev of the Container Storage Interface for this node: publishes",
            "versions that are shown at MOUNTPOINT, by 'forebay-fuse' or 'forebay-fuse hold',",
            "as volumes to read. Needs root and Linux 5.12, and little memory: -Xmx64m will do.",
            "Ends on SIGTERM or SIGINT. Published volumes stay.",
            "Each option can also be set by the environment variable that is named with it."
        })
@SuppressWarnings("NullAway.Init") // picocli sets the required ones or refuses to start
final class Csi implements Callable<Integer> {

    static final String NAME = "csi";

    private static final int MOST_CALLS = 1024;
    private static final int MOST_SECONDS = 3600;

    /** The interface's limit for a node's id, in bytes. */
    private static final int NODE_BYTES = 256;

    @Option(
            names = "--socket",
            required = true,
            defaultValue = "${env:FOREBAY_CSI_SOCKET}",
            paramLabel = "FILE",
            description =
                    "The Unix socket to listen on, for this user only. A left-over socket is "
                            + "replaced. FOREBAY_CSI_SOCKET")
    Path socket;

    @Option(
            names = "--mountpoint",
            required = true,
            defaultValue = "${env:FOREBAY_FUSE_MOUNTPOINT}",
            paramLabel = "DIR",
            description = "The directory on this node that shows versions. FOREBAY_FUSE_MOUNTPOINT")
    Path mountpoint;

    @Option(
            names = "--node",
            required = true,
            defaultValue = "${env:FOREBAY_CSI_NODE}",
            paramLabel = "NAME",
            description = "The name of this node in the orchestrator. FOREBAY_CSI_NODE")
    String node;

    @Option(
            names = "--kubelet-directory",
            defaultValue = "${env:FOREBAY_CSI_KUBELET_DIRECTORY:-/var/lib/kubelet}",
            paramLabel = "DIR",
            description =
                    "Directory below which volumes are published (default: /var/lib/kubelet)."
                            + " FOREBAY_CSI_KUBELET_DIRECTORY")
    Path kubeletDirectory;

    @Option(
            names = "--timeout",
            defaultValue = "${env:FOREBAY_CSI_TIMEOUT:-60}",
            paramLabel = "SECONDS",
            description =
                    "The longest time that a call waits for a version that is not shown yet, in "
                            + "seconds (default: 60). FOREBAY_CSI_TIMEOUT")
    int timeout;

    @Option(
            names = "--first-timeout",
            defaultValue = "${env:FOREBAY_CSI_FIRST_TIMEOUT:-5}",
            paramLabel = "SECONDS",
            description =
                    "The longest time that the first call for a volume waits, in seconds, so "
                            + "that an event soon shows the reason (default: 5)."
                            + " FOREBAY_CSI_FIRST_TIMEOUT")
    int firstTimeout;

    @Option(
            names = "--image-timeout",
            defaultValue = "${env:FOREBAY_CSI_IMAGE_TIMEOUT:-10}",
            paramLabel = "SECONDS",
            description =
                    "How long to wait for the image of a version before it is published file by "
                            + "file, in seconds (default: 10). FOREBAY_CSI_IMAGE_TIMEOUT")
    int imageTimeout;

    @Option(
            names = "--calls",
            defaultValue = "${env:FOREBAY_CSI_CALLS:-64}",
            paramLabel = "N",
            description =
                    "How many calls may publish volumes at the same time, and how many may "
                            + "unpublish them (default: 64). FOREBAY_CSI_CALLS")
    int calls;

    @Option(
            names = "--drain",
            defaultValue = "${env:FOREBAY_CSI_DRAIN:-10}",
            paramLabel = "SECONDS",
            description =
                    "Time for running calls after SIGTERM or SIGINT, in seconds (default: 10)."
                            + " FOREBAY_CSI_DRAIN")
    int drain;

    @Mixin private HealthOptions health = new HealthOptions();

    @Override
    public Integer call() throws InterruptedException {
        Driver driver = Driver.start(config());
        // Ready even if nothing is mounted: volumes wait for the mount, and the driver could not
        // repair it.
        health.serve(
                () -> driver.answers(HealthOptions.TIMEOUT),
                () -> driver.answers(HealthOptions.TIMEOUT));
        Runtime.getRuntime().addShutdownHook(new Thread(driver::close, "drain"));
        System.out.printf(
                "forebay-fuse: publishing volumes of %s through %s%n", mountpoint, socket);
        driver.awaitEnd();
        return 0;
    }

    private DriverConfig config() {
        int nodeBytes = node.getBytes(StandardCharsets.UTF_8).length;
        if (nodeBytes < 1 || nodeBytes > NODE_BYTES) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "--node is '%s'; it must have 1 to %d bytes".formatted(node, NODE_BYTES));
        }
        PodOptions.requireWithin("--timeout", timeout, 1, MOST_SECONDS);
        PodOptions.requireWithin("--first-timeout", firstTimeout, 1, MOST_SECONDS);
        PodOptions.requireWithin("--image-timeout", imageTimeout, 0, MOST_SECONDS);
        PodOptions.requireWithin("--calls", calls, 1, MOST_CALLS);
        PodOptions.requireWithin("--drain", drain, 0, MOST_SECONDS);
        PodOptions.requireOutsideOfMount("--socket", socket, mountpoint);
        PodOptions.requireOutsideOfMount("--kubelet-directory", kubeletDirectory, mountpoint);
        return new DriverConfig(
                socket,
                Mountpoint.resolved(mountpoint),
                kubeletDirectory.toAbsolutePath().normalize(),
                node,
                BuiltVersion.number(),
                Duration.ofSeconds(timeout),
                Duration.ofSeconds(firstTimeout),
                Duration.ofSeconds(imageTimeout),
                calls,
                Duration.ofSeconds(drain));
    }
}
