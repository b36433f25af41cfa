package dev.forebay.service.gateway;

import org.jspecify.annotations.Nullable;

/**
 * A pin that was renewed.
 *
 * @param remainingSeconds how long it now lives without another renewal
 * @param holder who holds it; empty if the agent has not heard of it yet
 * @param reason what for; may be empty
 * @param job the uid of the Kubernetes Job that holds it, if one does
 */
public record Renewal(long remainingSeconds, String holder, String reason, @Nullable String job) {}
