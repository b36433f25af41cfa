package dev.forebay.membership;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.NodeName;
import java.util.List;

/**
 * The versions that a node reports to hold completely, verified.
 *
 * @param versions at most {@link #MOST}, in the given order
 */
public record NodeReport(NodeName node, List<DatasetVersion> versions) {

    /** The most versions that a node may name. */
    public static final int MOST = 256;

    public NodeReport {
        versions = List.copyOf(versions);
        if (versions.size() > MOST) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "node %s names %d versions: it must be 0 to %d"
                            .formatted(node, versions.size(), MOST));
        }
    }
}
