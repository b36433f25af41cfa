package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.time.Duration;

/**
 * Reports that a job read the version in a region.
 *
 * @param ago the time since the read; a duration, because the clocks of sender and receiver differ
 */
public record ReadReport(RegionName region, Duration ago) {}
