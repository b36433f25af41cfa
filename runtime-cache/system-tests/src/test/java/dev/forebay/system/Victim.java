package dev.forebay.system;

import dev.forebay.devstack.server.Server;

/** A kind of process that a crash takes. */
enum Victim {
    WORKER,
    AGENT,
    CONTROL_PLANE,
    TEMPORAL,
    ETCD,
    POSTGRES;

    /** The process; of those that every region has, the region's, and of its workers the first. */
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
