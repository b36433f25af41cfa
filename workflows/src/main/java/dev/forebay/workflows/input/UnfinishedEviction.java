package dev.forebay.workflows.input;

import dev.forebay.model.RegionName;

/**
 * An eviction that a run of a version's workflow hands over to the next one.
 *
 * @param reason why, for people
 */
public record UnfinishedEviction(RegionName region, String reason) {}
