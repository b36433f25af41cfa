package dev.forebay.workflows.message;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * On what ground a version wants room in a region.
 *
 * @param urgency who goes first
 * @param quotaBytes how much room its namespace may have there; any amount if absent
 * @param since when it began to want it, by Temporal's clock: among equals the earliest goes first
 */
public record Claim(Urgency urgency, @Nullable Long quotaBytes, Instant since) {}
