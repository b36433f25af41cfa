package dev.forebay.workflows.message;

import org.jspecify.annotations.Nullable;

/**
 * On what ground a version wants room in a region.
 *
 * @param urgency who goes first
 * @param quotaBytes how much room its namespace may have there; any amount if absent
 */
public record Claim(Urgency urgency, @Nullable Long quotaBytes) {}
