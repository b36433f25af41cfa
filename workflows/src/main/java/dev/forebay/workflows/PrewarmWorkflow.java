package dev.forebay.workflows;

import dev.forebay.workflows.message.FillResult;
import dev.forebay.workflows.message.PrewarmInput;
import io.temporal.workflow.SignalMethod;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/**
 * Fills one region with a version, batch by batch; a child of the version's workflow, which it
 * keeps informed with {@link DatasetVersionWorkflow#progress}.
 */
@WorkflowInterface
public interface PrewarmWorkflow {

    /**
     * Returns when every byte is in the region and verified. What is there already is not fetched
     * again, so that a repeated run is cheap.
     */
    @WorkflowMethod(name = "Prewarm")
    FillResult run(PrewarmInput input);

    /** Somebody waits from now on: what is not taken up yet goes before what nobody waits for. */
    @SignalMethod
    void hurry();
}
