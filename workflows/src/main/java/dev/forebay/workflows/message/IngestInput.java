package dev.forebay.workflows.message;

import dev.forebay.model.DatasetVersion;

/**
 * The input of an ingest; see {@link VersionInput}.
 *
 * @param urgency the priority of its activity
 */
public record IngestInput(DatasetVersion version, String bucket, String prefix, Urgency urgency) {

    public IngestInput {
        urgency = urgency == null ? Urgency.INTERACTIVE : urgency;
    }
}
