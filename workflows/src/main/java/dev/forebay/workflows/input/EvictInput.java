package dev.forebay.workflows.input;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;

/**
 * The input of the workflow that evicts a version from a region.
 *
 * @param reason why, for people
 */
public record EvictInput(
        DatasetVersion version, ManifestRef manifest, RegionName region, String reason) {}
