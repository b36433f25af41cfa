package dev.forebay.workflows.message;

import java.time.Duration;

/**
 * Request to keep the version in every region for {@code ttl} (1 second to 3650 days) after its
 * last pin ends.
 */
public record TtlRequest(Duration ttl) {}
