package dev.forebay.workflows.message;

import dev.forebay.model.DatasetVersion;

/**
 * What an ingest starts with; see {@link VersionInput}.
 *
 * @param urgency before whom it is taken up
 */
public record IngestInput(DatasetVersion version, String bucket, String prefix, Urgency urgency) {

    public IngestInput {
        urgency = urgency == null ? Urgency.INTERACTIVE : urgency;
    }
}
