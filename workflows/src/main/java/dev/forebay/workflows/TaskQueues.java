package dev.forebay.workflows;

import dev.forebay.model.RegionName;

/** The names of the task queues of workflows and activities. */
public final class TaskQueues {

    /** Workflows, and the activities of the control plane. */
    public static final String LIFECYCLE = "forebay-lifecycle";

    /**
     * Ingests, which can take hours. On a queue of their own they occupy no slots of the control
     * plane's other activities, and Temporal's UI shows how many wait.
     */
    public static final String INGEST = "forebay-ingest";

    /**
     * Checks for drift, which no client waits for. On a queue of their own they occupy no slots of
     * the control plane's other activities, however long they list.
     */
    public static final String TRACKING = "forebay-tracking";

    private TaskQueues() {}

    /**
     * Returns the queue of one region's activities except {@link #warm}. The region's agent polls
     * it, so data and etcd writes never cross regions.
     */
    public static String region(RegionName region) {
        return "forebay-region-" + region;
    }

    /**
     * Returns the queue of one region's fills. The region's agent polls it. Fills take hours: on a
     * queue of their own they do not delay a pin or a confirmation that a client waits for.
     */
    public static String warm(RegionName region) {
        return "forebay-warm-" + region;
    }
}
