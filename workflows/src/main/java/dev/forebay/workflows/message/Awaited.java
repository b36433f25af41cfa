package dev.forebay.workflows.message;

import java.time.Instant;

/**
 * A request with a deadline that a run of a version's workflow has not answered: when it comes
 * again, to the next run, it has no more time than it had.
 *
 * @param updateId of the request
 * @param until by Temporal's clock
 */
public record Awaited(String updateId, Instant until) {}
