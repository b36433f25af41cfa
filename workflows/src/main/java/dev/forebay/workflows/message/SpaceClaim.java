package dev.forebay.workflows.message;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A version's claim to space in a region: its priority, its quota and its age.
 *
 * @param urgency the priority of the claim
 * @param quotaBytes how much space the version's namespace may have there; unlimited if absent
 * @param since when the version first claimed space, by Temporal's clock: among equals the earliest
 *     goes first
 */
public record SpaceClaim(Urgency urgency, @Nullable Long quotaBytes, Instant since) {}
