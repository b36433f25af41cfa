package dev.forebay.workflows;

import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.input.IngestInput;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/**
 * Freezes a version into a manifest. A child of the version's workflow, or a workflow of its own if
 * a client creates a version without filling a region.
 */
@WorkflowInterface
public interface IngestWorkflow {

    /**
     * Returns the version's manifest. The first call ever creates it, and all later calls return
     * the same one.
     */
    @WorkflowMethod(name = "Ingest")
    ManifestRef run(IngestInput input);
}
