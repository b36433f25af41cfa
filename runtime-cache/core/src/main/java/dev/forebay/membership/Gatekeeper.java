package dev.forebay.membership;

import java.util.Optional;

/** Decides who may enter a region's mount table. */
@FunctionalInterface
public interface Gatekeeper {

    /**
     * Lets the version in, or has it wait. May be asked several times for one entry, each time with
     * what etcd says then; what it decides takes effect only if nobody has entered meanwhile.
     *
     * @param region what the region's etcd says at one moment
     * @return how it waits; empty if it may enter
     * @throws dev.forebay.model.ForebayException if it may neither enter nor wait
     */
    Optional<Applicant> judge(RegionView region);
}
