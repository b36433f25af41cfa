package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request that a run of a version's workflow has not answered: it is expected to come again, to
 * the next run, and has no more time there than it had.
 *
 * @param updateId of the request
 * @param regions that it waits for
 * @param until by Temporal's clock; for as long as it takes if absent
 */
public record Awaited(String updateId, List<RegionName> regions, @Nullable Instant until) {}
