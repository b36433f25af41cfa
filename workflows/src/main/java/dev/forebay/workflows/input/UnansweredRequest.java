package dev.forebay.workflows.input;

import dev.forebay.model.RegionName;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request that a run of a version's workflow has not answered. The client is expected to send it
 * again to the next run, where its deadline stays the same.
 *
 * @param updateId the id of the request's update
 * @param regions the regions that it waits for
 * @param until the deadline by Temporal's clock; absent if there is none
 */
public record UnansweredRequest(
        String updateId, List<RegionName> regions, @Nullable Instant until) {}
