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
                    "The name of this Kubernetes node. Reports its complete versions in etcd, so "
                            + "that the region's agent labels the node. Empty: no report."
                            + " FOREBAY_FUSE_NODE_NAME")
    public @Nullable NodeName name;

    @Option(
            names = "--node-versions",
            defaultValue = "${env:FOREBAY_FUSE_NODE_VERSIONS:-32}",
            paramLabel = "N",
            description =
                    "Limit of versions to report, the latest ones first (default: 32)."
                            + " FOREBAY_FUSE_NODE_VERSIONS")
    public int versions;

    @Option(
            names = "--node-interval",
            defaultValue = "${env:FOREBAY_FUSE_NODE_INTERVAL:-10}",
            paramLabel = "S",
            description =
                    "Interval of this report, in seconds (default: 10). Only changes are written."
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
