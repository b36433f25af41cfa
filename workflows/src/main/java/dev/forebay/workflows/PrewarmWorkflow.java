package dev.forebay.workflows;

import dev.forebay.workflows.input.PrewarmInput;
import dev.forebay.workflows.message.FillResult;
import io.temporal.workflow.SignalMethod;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/**
 * Fills one region with a version, batch by batch. A child of the version's workflow, to which it
 * reports by {@link DatasetVersionWorkflow#progress}.
 */
@WorkflowInterface
public interface PrewarmWorkflow {

    /**
     * Returns when every byte is in the region and verified. Bytes that are present are not fetched
     * again, so a repeated run is cheap.
     */
    @WorkflowMethod(name = "Prewarm")
    FillResult run(PrewarmInput input);

    /**
     * Raises the priority, because a client waits from now on. Steps that have not started go
     * before speculative work.
     */
    @SignalMethod
    void hurry();
}
