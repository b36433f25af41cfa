package dev.forebay.workflows.ingest;

import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.IngestWorkflow;
import dev.forebay.workflows.input.IngestInput;
import dev.forebay.workflows.support.ActivityStubs;

/** Runs one activity, in a workflow of its own so that people find it in Temporal's UI. */
public final class IngestWorkflowImpl implements IngestWorkflow {

    @Override
    public ManifestRef run(IngestInput input) {
        return ActivityStubs.ingest(input.version(), input.urgency()).ingest(input.version());
    }
}
