package dev.forebay.workflows;

import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.message.IngestInput;

/** Runs one activity, in a workflow of its own so that people find it in Temporal's UI. */
public final class IngestWorkflowImpl implements IngestWorkflow {

    @Override
    public ManifestRef run(IngestInput input) {
        return Steps.ingest(input.version(), input.urgency())
                .ingest(input.version(), input.bucket(), input.prefix());
    }
}
