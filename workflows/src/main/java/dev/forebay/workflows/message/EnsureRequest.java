package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import org.jspecify.annotations.Nullable;

/**
 * Have every byte of the version in {@code region}, and hold {@code pin} if given (its region must
 * be the same).
 */
public record EnsureRequest(RegionName region, @Nullable PinRequest pin) {}
