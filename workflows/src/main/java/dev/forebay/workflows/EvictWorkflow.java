package dev.forebay.workflows;

import dev.forebay.workflows.message.EvictInput;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/** Removes a version from one region; a child of the version's workflow. */
@WorkflowInterface
public interface EvictWorkflow {

    /**
     * Returns when the region holds nothing of the version; fails with PINNED, having changed
     * nothing, while a pin is alive there.
     */
    @WorkflowMethod(name = "Evict")
    void run(EvictInput input);
}
