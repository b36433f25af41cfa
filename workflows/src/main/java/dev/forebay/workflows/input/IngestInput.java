package dev.forebay.workflows.input;

import dev.forebay.model.DatasetVersion;
import dev.forebay.workflows.message.Urgency;

/**
 * The input of an ingest.
 *
 * @param urgency the priority of its activity
 */
public record IngestInput(DatasetVersion version, Urgency urgency) {}
