package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;

/**
 * A fill that a run of a version's workflow hands over to the next one.
 *
 * @param urgency the priority of its activities
 * @param askedFor whether a request began it: the region was ABSENT or BLOCKED before
 */
public record Unfinished(RegionName region, Urgency urgency, boolean askedFor) {}
