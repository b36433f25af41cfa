package dev.forebay.workflows.activity;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import io.temporal.activity.ActivityInterface;

/** Freezing a version; on {@link dev.forebay.workflows.TaskQueues#INGEST}. */
@ActivityInterface
public interface IngestActivities {

    /**
     * Lists the lake below a prefix and stores the manifest. A version that has a manifest keeps
     * it: the call then returns that one without listing. Heartbeats the number of objects listed.
     */
    ManifestRef ingest(DatasetVersion version, String bucket, String prefix);
}
