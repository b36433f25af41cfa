package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.util.List;

/**
 * A pin that nobody holds yet but requests which a run of a version's workflow has not answered:
 * the last of them that fails gives it back.
 *
 * @param pin its id
 * @param requests the ids of their updates
 */
public record Taken(RegionName region, String pin, List<String> requests) {}
