package dev.forebay.membership;

import java.util.Optional;

/** Decides which versions may enter a region's mount table. */
@FunctionalInterface
public interface MountAdmission {

    /**
     * Admits the version, or makes it wait. One entry may call this several times, each time with
     * the current state of etcd. The decision takes effect only if no other version has entered
     * meanwhile.
     *
     * @param region the state of the region's etcd at one revision
     * @return the version's place in the queue, or empty if it may enter
     * @throws dev.forebay.model.ForebayException if it may neither enter nor wait
     */
    Optional<QueuedVersion> judge(RegionView region);
}
