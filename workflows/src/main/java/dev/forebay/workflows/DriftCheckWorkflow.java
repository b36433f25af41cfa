package dev.forebay.workflows;

import dev.forebay.model.DatasetName;
import dev.forebay.workflows.activity.TrackingActivities;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/**
 * One check of a dataset's source for changes. The Schedule of a dataset that follows the lake
 * starts it.
 */
@WorkflowInterface
public interface DriftCheckWorkflow {

    /** Creates a new version if the source has changed, and returns the result of the check. */
    @WorkflowMethod(name = "DriftCheck")
    TrackingActivities.Check run(DatasetName dataset);
}
