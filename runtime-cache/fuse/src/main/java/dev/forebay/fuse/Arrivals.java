package dev.forebay.fuse;

import dev.forebay.model.DatasetVersion;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The versions that a node holds, in the order in which they came to it, the last one first. By
 * that, and not by use, it is chosen which are named where not all can be: nobody is told of what
 * is read from a native view.
 */
record Arrivals(List<DatasetVersion> order) {

    /** Of those that came at the same time; any order would do, if it is always the same. */
    private static final Comparator<DatasetVersion> BY_NAME =
            Comparator.comparing(DatasetVersion::path);

    Arrivals {
        order = List.copyOf(order);
    }

    /**
     * As a process finds them that has just begun to serve the node. Those that its predecessor
     * named go before the others, which it left out or did not know.
     */
    static Arrivals found(List<DatasetVersion> named, Set<DatasetVersion> held) {
        return new Arrivals(Stream.concat(kept(named, held), others(held, named)).toList());
    }

    /** What is held some time later. */
    Arrivals then(Set<DatasetVersion> held) {
        return new Arrivals(Stream.concat(others(held, order), kept(order, held)).toList());
    }

    /** Those that came last. */
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
