package dev.forebay.workflows.message;

import java.time.Duration;

/**
 * Keep the version for {@code ttl} (1 second to 3650 days) after its last pin ends, in every
 * region.
 */
public record TtlRequest(Duration ttl) {}
