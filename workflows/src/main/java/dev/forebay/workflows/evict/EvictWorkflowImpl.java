package dev.forebay.workflows.evict;

import dev.forebay.workflows.EvictWorkflow;
import dev.forebay.workflows.input.EvictInput;
import dev.forebay.workflows.support.ActivityStubs;
import io.temporal.workflow.Workflow;

/** Fences the version against new pins, then drops its chunks. */
public final class EvictWorkflowImpl implements EvictWorkflow {

    @Override
    public void run(EvictInput input) {
        Workflow.setCurrentDetails("Asking %s to evict.".formatted(input.region()));
        ActivityStubs.beginEviction(input.version(), input.region()).beginEviction(input.version());
        Workflow.setCurrentDetails("Fenced against new pins; dropping chunks.");
        ActivityStubs.drop(input.version(), input.region()).drop(input.version(), input.manifest());
        Workflow.setCurrentDetails("Gone from %s.".formatted(input.region()));
    }
}
