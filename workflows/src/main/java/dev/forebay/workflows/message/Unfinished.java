package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;

/**
 * A filling that a run of a version's workflow leaves to the next one.
 *
 * @param urgency before whom its activities are taken up
 * @param askedFor whether the region had given up the version, or never had it
 */
public record Unfinished(RegionName region, Urgency urgency, boolean askedFor) {}
