package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;

/**
 * Request to give up the version in a region where it is BLOCKED.
 *
 * @param reason why, for people
 */
public record AbandonRequest(RegionName region, String reason) {}
