package dev.forebay.system;

import dev.forebay.devstack.server.Server;

/** A kind of process that a test kills. */
enum Victim {
    WORKER,
    AGENT,
    CONTROL_PLANE,
    TEMPORAL,
    ETCD,
    POSTGRES;

    /**
     * Returns the process. If each region has one, this is the one of the given region. The worker
     * is the region's first.
     */
    Server in(RunningStack stack, String region) {
        return switch (this) {
            case WORKER -> stack.region(region).worker(0);
            case AGENT -> stack.region(region).agent();
            case CONTROL_PLANE -> stack.stack().controlPlane();
            case TEMPORAL -> stack.stack().temporal();
            case ETCD -> stack.region(region).etcd();
            case POSTGRES -> stack.stack().postgres();
        };
    }
}
