package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetName;
import java.time.Duration;
import java.time.Instant;

/**
 * A registered dataset.
 *
 * @param ttl what a new version of it begins with: how long it stays in a region after its last pin
 */
public record Dataset(DatasetName name, LakeSource source, Duration ttl, Instant createdAt) {}
