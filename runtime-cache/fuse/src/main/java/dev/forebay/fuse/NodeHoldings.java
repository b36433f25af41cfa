package dev.forebay.fuse;

import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Which versions are on this node as a whole, verified: those that are shown natively, by whichever
 * process attached them, and those whose packs the node cache knows to be complete. A process that
 * has just taken over knows little of the latter, so it believes its predecessor until it has
 * looked itself. Safe for use by many threads.
 */
final class NodeHoldings {

    private final Supplier<List<Mount>> mounts;
    private final Supplier<Set<DatasetVersion>> natives;
    private final Optional<PodPacks> packs;

    /**
     * @param mounts the mount table
     * @param natives the versions that are shown natively now
     * @param packs the node cache; empty if it has no room
     */
    NodeHoldings(
            Supplier<List<Mount>> mounts,
            Supplier<Set<DatasetVersion>> natives,
            Optional<PodPacks> packs) {
        this.mounts = mounts;
        this.natives = natives;
        this.packs = packs;
    }

    /**
     * Looks.
     *
     * @param unproven those that another process said were here, and of which this one has not
     *     found out yet; what it has found out of is taken out
     */
    Set<DatasetVersion> look(Set<DatasetVersion> unproven) {
        Set<DatasetVersion> shown = natives.get();
        Set<DatasetVersion> held = new HashSet<>();
        Set<DatasetVersion> undecided = new HashSet<>();
        for (Mount mount : mounts.get()) {
            Digest manifest = mount.manifest().digest();
            // Asked before whether it is whole: it may be found out just now.
            if (unproven.contains(mount.version()) && isToBeFoundOut(manifest)) {
                undecided.add(mount.version());
            } else if (shown.contains(mount.version()) || isWhole(manifest)) {
                held.add(mount.version());
            }
        }
        unproven.retainAll(undecided);
        held.addAll(undecided);
        return held;
    }

    private boolean isToBeFoundOut(Digest manifest) {
        return packs.filter(cache -> cache.findOut(manifest)).isPresent();
    }

    private boolean isWhole(Digest manifest) {
        return packs.flatMap(PodPacks::open).filter(cache -> cache.isWhole(manifest)).isPresent();
    }
}
