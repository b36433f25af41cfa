package dev.forebay.service.gateway;

import org.jspecify.annotations.Nullable;

/**
 * A renewed pin.
 *
 * @param remainingSeconds its lifetime without another renewal
 * @param holder its holder; empty if the agent has not learned it yet
 * @param reason its purpose; may be empty
 * @param job the uid of the Kubernetes Job that holds it, if one does
 */
public record Renewal(long remainingSeconds, String holder, String reason, @Nullable String job) {}
