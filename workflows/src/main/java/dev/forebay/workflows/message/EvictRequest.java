package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;

/**
 * Remove the version from a region.
 *
 * @param reason why, for people: it stays in the version's history
 * @param onlyIfExpired refuse (with INVALID_ARGUMENT) unless the TTL has passed: what a sweep asks,
 *     whose list may be old
 */
public record EvictRequest(RegionName region, String reason, boolean onlyIfExpired) {}
