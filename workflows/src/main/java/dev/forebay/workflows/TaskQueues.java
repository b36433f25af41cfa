package dev.forebay.workflows;

import dev.forebay.model.RegionName;

/** The task queues that workflows and activities are polled from. */
public final class TaskQueues {

    /** Workflows, and the activities of the control plane. */
    public static final String LIFECYCLE = "forebay-lifecycle";

    private TaskQueues() {}

    /**
     * The activities of one region, polled by its agent: data and etcd writes never cross regions.
     */
    public static String region(RegionName region) {
        return "forebay-region-" + region;
    }
}
