package dev.forebay.workflows.message;

import dev.forebay.model.DatasetVersion;

/** What an ingest starts with; see {@link VersionInput}. */
public record IngestInput(DatasetVersion version, String bucket, String prefix) {}
