package dev.forebay.workflows;

import dev.forebay.workflows.input.EvictInput;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/** Evicts a version from one region. A child of the version's workflow. */
@WorkflowInterface
public interface EvictWorkflow {

    /**
     * Returns when the region holds nothing of the version. Fails with PINNED, and changes nothing,
     * while a pin is alive there.
     */
    @WorkflowMethod(name = "Evict")
    void run(EvictInput input);
}
