package dev.forebay.workflows;

import dev.forebay.model.RegionName;
import dev.forebay.workflows.activity.SweepActivities;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;
import java.util.List;

/** One round of eviction in a region, started by that region's Schedule or by a person. */
@WorkflowInterface
public interface EvictionSweepWorkflow {

    /** Evicts the copies that have to go and returns what became of each. */
    @WorkflowMethod(name = "EvictionSweep")
    List<SweepActivities.Outcome> run(RegionName region);
}
