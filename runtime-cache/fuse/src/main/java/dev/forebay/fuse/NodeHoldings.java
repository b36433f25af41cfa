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
 * Determines which versions are complete and verified on this node. These are versions with native
 * views, attached by any process, and versions that the node cache knows to be complete. A process
 * that has just taken over knows little of the latter. It trusts its predecessor's report until it
 * has checked itself. Thread-safe.
 */
final class NodeHoldings {

    private final Supplier<List<Mount>> mounts;
    private final Supplier<Set<DatasetVersion>> natives;
    private final Optional<PodPacks> packs;

    /**
     * @param mounts returns the mount table
     * @param natives returns the versions with native views
     * @param packs the node cache; empty if its capacity is 0
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
     * Returns the versions that are complete on this node now.
     *
     * @param unproven versions that another process reported and this one has not checked yet;
     *     checked ones are removed from it
     */
    Set<DatasetVersion> find(Set<DatasetVersion> unproven) {
        Set<DatasetVersion> shown = natives.get();
        Set<DatasetVersion> held = new HashSet<>();
        Set<DatasetVersion> undecided = new HashSet<>();
        for (Mount mount : mounts.get()) {
            Digest manifest = mount.manifest().digest();
            // Before the check for completeness, which may become true in between.
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
