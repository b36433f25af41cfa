package dev.forebay.fuse;

import dev.forebay.model.DatasetVersion;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The versions that a node holds, in the order in which they came to it, the latest first. A report
 * with limited space names the latest ones. Use would be a better criterion, but the pod does not
 * see reads of native views.
 */
record VersionsByArrival(List<DatasetVersion> order) {

    /** Orders versions that came at the same time. Any stable order works. */
    private static final Comparator<DatasetVersion> BY_NAME =
            Comparator.comparing(DatasetVersion::path);

    VersionsByArrival {
        order = List.copyOf(order);
    }

    /**
     * Returns the order for a process that has just begun to serve the node. Versions that its
     * predecessor named come first. The predecessor left the others out, or did not know them.
     */
    static VersionsByArrival found(List<DatasetVersion> named, Set<DatasetVersion> held) {
        return new VersionsByArrival(
                Stream.concat(kept(named, held), others(held, named)).toList());
    }

    /** Returns the order after a later look. */
    VersionsByArrival then(Set<DatasetVersion> held) {
        return new VersionsByArrival(
                Stream.concat(others(held, order), kept(order, held)).toList());
    }

    /** Returns the versions that came last. */
    List<DatasetVersion> last(int most) {
        return order.stream().limit(most).toList();
    }

    private static Stream<DatasetVersion> kept(
            List<DatasetVersion> before, Set<DatasetVersion> held) {
        return before.stream().filter(held::contains);
    }

    private static Stream<DatasetVersion> others(
            Set<DatasetVersion> held, Collection<DatasetVersion> known) {
        return held.stream().filter(version -> !known.contains(version)).sorted(BY_NAME);
    }
}
