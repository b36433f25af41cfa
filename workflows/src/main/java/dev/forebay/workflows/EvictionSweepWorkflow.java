package dev.forebay.workflows;

import dev.forebay.model.RegionName;
import dev.forebay.workflows.activity.SweepActivities;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;
import java.util.List;

/** One sweep of a region. The region's Schedule or an operator starts it. */
@WorkflowInterface
public interface EvictionSweepWorkflow {

    /** Evicts the copies that the sweep chose and returns the outcome for each. */
    @WorkflowMethod(name = "EvictionSweep")
    List<SweepActivities.Outcome> run(RegionName region);
}
