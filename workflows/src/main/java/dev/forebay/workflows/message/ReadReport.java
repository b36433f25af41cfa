package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.time.Duration;

/**
 * The version was read in a region.
 *
 * @param ago how long ago; a duration, for the clocks of those who tell and are told differ
 */
public record ReadReport(RegionName region, Duration ago) {}
