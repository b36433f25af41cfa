package dev.forebay.workflows;

import dev.forebay.model.DatasetName;
import dev.forebay.workflows.activity.TrackingActivities;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/** One look at the lake for drift, started by the Schedule of a dataset that follows it. */
@WorkflowInterface
public interface DriftCheckWorkflow {

    /** Makes a new version if the lake has changed, and returns what was found. */
    @WorkflowMethod(name = "DriftCheck")
    TrackingActivities.Check run(DatasetName dataset);
}
