package dev.forebay.workflows;

import dev.forebay.model.RegionName;

/** The task queues that workflows and activities are polled from. */
public final class TaskQueues {

    /** Workflows, and the activities of the control plane. */
    public static final String LIFECYCLE = "forebay-lifecycle";

    /**
     * The freezing of versions. It can take hours: on a queue of its own it takes no place of what
     * the control plane does besides, and waits for its turn where that is seen.
     */
    public static final String INGEST = "forebay-ingest";

    /**
     * The checks for drift, which nobody waits for: on a queue of their own they take no place of
     * the control plane's other activities, however long they list.
     */
    public static final String TRACKING = "forebay-tracking";

    private TaskQueues() {}

    /**
     * The activities of one region but {@link #warm}, polled by its agent: data and etcd writes
     * never cross regions.
     */
    public static String region(RegionName region) {
        return "forebay-region-" + region;
    }

    /**
     * The warming in one region, polled by its agent. It takes hours: on a queue of its own it
     * takes no place of a pin or a confirmation, for which somebody waits.
     */
    public static String warm(RegionName region) {
        return "forebay-warm-" + region;
    }
}
