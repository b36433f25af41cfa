package dev.forebay.workflows.input;

import dev.forebay.model.RegionName;
import java.util.List;

/**
 * A pin whose only holders are requests that a run of a version's workflow has not answered. The
 * last of them that fails releases it.
 *
 * @param pin its id
 * @param requests the ids of their updates
 */
public record ProvisionalPin(RegionName region, String pin, List<String> requests) {}
