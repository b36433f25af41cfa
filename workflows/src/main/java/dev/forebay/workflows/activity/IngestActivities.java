package dev.forebay.workflows.activity;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import io.temporal.activity.ActivityInterface;

/** Freezes versions. Runs on {@link dev.forebay.workflows.TaskQueues#INGEST}. */
@ActivityInterface
public interface IngestActivities {

    /**
     * Lists the dataset's source, stores the manifest and returns it. If the version has a manifest
     * already, the call returns that one without listing. Heartbeats the number of objects listed.
     */
    ManifestRef ingest(DatasetVersion version);
}
