package dev.forebay.workflows;

import dev.forebay.workflows.message.EvictInput;
import io.temporal.workflow.Workflow;

/** Fences the version against new pins, then drops its chunks. */
public final class EvictWorkflowImpl implements EvictWorkflow {

    @Override
    public void run(EvictInput input) {
        Workflow.setCurrentDetails("Asking %s to evict.".formatted(input.region()));
        Steps.beginEviction(input.version(), input.region()).beginEviction(input.version());
        Workflow.setCurrentDetails("Fenced against new pins; dropping chunks.");
        Steps.drop(input.version(), input.region()).drop(input.version(), input.manifest());
        Workflow.setCurrentDetails("Gone from %s.".formatted(input.region()));
    }
}
