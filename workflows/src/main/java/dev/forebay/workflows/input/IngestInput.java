package dev.forebay.workflows.input;

import dev.forebay.model.DatasetVersion;
import dev.forebay.workflows.message.Urgency;

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
