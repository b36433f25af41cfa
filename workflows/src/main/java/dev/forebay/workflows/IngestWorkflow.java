package dev.forebay.workflows;

import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.message.IngestInput;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/**
 * Freezes a version into a manifest; a child of the version's workflow, or by itself if somebody
 * wants the version created and not brought anywhere.
 */
@WorkflowInterface
public interface IngestWorkflow {

    /** Returns the version's manifest, made by the first call ever and the same ever after. */
    @WorkflowMethod(name = "Ingest")
    ManifestRef run(IngestInput input);
}
