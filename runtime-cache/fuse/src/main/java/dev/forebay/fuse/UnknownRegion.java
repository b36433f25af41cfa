package dev.forebay.fuse;

import dev.forebay.membership.RegionState;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns that the tree may be empty because the region's name was mistyped. */
final class UnknownRegion {

    private static final Logger LOG = LoggerFactory.getLogger(UnknownRegion.class);
    private static final int MOST_LISTED = 100;
    private static final int MOST_NAMED = 10;

    private UnknownRegion() {}

    /** Checks on its own thread: a region may be new, and the start of a pod must not wait. */
    static void warn(RegionState state, RegionName region) {
        Thread.ofVirtual()
                .name("unknown-region")
                .start(() -> warning(state, region).ifPresent(LOG::warn));
    }

    /** Returns the warning, or empty if etcd knows the region or is away. */
    static Optional<String> warning(RegionState state, RegionName region) {
        try {
            RegionView view = state.view();
            if (!view.workers().isEmpty() || !view.mounts().isEmpty()) {
                return Optional.empty();
            }
            List<RegionName> known = state.regions(MOST_LISTED);
            // The view may be an old one from before etcd was away.
            return known.contains(region)
                    ? Optional.empty()
                    : Optional.of(
                            "etcd has no worker and no version of --region %s, so the mount is empty for now; %s"
                                    .formatted(region, names(known)));
        } catch (ForebayException etcdIsAway) {
            return Optional.empty();
        }
    }

    private static String names(List<RegionName> regions) {
        return regions.isEmpty()
                ? "etcd has no region at all"
                : "it knows "
                        + regions.stream()
                                .limit(MOST_NAMED)
                                .map(RegionName::toString)
                                .collect(Collectors.joining(", "))
                        + (regions.size() > MOST_NAMED ? " and more" : "");
    }
}
