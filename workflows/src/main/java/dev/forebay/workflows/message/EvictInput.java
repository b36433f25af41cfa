package dev.forebay.workflows.message;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;

/**
 * What an eviction starts with.
 *
 * @param reason why, for people
 */
public record EvictInput(
        DatasetVersion version, ManifestRef manifest, RegionName region, String reason) {}
