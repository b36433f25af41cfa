package dev.forebay.fuse.options;

import dev.forebay.membership.NodeReport;
import dev.forebay.model.ForebayException;
import dev.forebay.model.NodeName;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options about the pod's node and its report. */
@SuppressWarnings("NullAway.Init") // picocli sets them
public final class NodeOptions {

    /** The number of missed reports after which a node's report expires. */
    private static final int MISSED = 6;

    @Option(
            names = "--node-name",
            converter = NodeNameConverter.class,
            defaultValue =
                    "${env:FOREBAY_FUSE_NODE_NAME:-" + picocli.CommandLine.Option.NULL_VALUE + "}",
            paramLabel = "NAME",
            description =
                    "The Kubernetes node that this is: say in etcd which versions it has as a"
                            + " whole, for the region's agent to label it. Empty for not."
                            + " FOREBAY_FUSE_NODE_NAME")
    public @Nullable NodeName name;

    @Option(
            names = "--node-versions",
            defaultValue = "${env:FOREBAY_FUSE_NODE_VERSIONS:-32}",
            paramLabel = "N",
            description =
                    "How many versions to name there at most, of more those that came last: 32."
                            + " FOREBAY_FUSE_NODE_VERSIONS")
    public int versions;

    @Option(
            names = "--node-interval",
            defaultValue = "${env:FOREBAY_FUSE_NODE_INTERVAL:-10}",
            paramLabel = "S",
            description =
                    "How many seconds apart to look at that, and to write it if it has changed: 10."
                            + " FOREBAY_FUSE_NODE_INTERVAL")
    int intervalSeconds;

    public Duration interval() {
        return Duration.ofSeconds(intervalSeconds);
    }

    /** Returns the time after which a report expires unless it is renewed. */
    public Duration life() {
        return interval().multipliedBy(MISSED);
    }

    /**
     * Validates what the types of the options do not.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT}, naming option, value and rule
     */
    void check() {
        PodOptions.requireWithin("--node-versions", versions, 1, NodeReport.MOST);
        PodOptions.requireWithin("--node-interval", intervalSeconds, 1, 3600);
    }
}
