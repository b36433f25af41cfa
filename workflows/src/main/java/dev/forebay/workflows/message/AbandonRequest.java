package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;

/**
 * Give up what is BLOCKED in a region.
 *
 * @param reason why, for people
 */
public record AbandonRequest(RegionName region, String reason) {}
