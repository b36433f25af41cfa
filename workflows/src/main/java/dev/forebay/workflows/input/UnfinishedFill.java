package dev.forebay.workflows.input;

import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Urgency;

/**
 * A fill that a run of a version's workflow hands over to the next one.
 *
 * @param urgency the priority of its activities
 * @param askedFor whether a request began it: the region was ABSENT or BLOCKED before
 */
public record UnfinishedFill(RegionName region, Urgency urgency, boolean askedFor) {}
