package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.time.Instant;

/**
 * A pin that is held; {@code expiresAt} moves on with each renewal, which the workflow does not see
 * at once.
 */
public record PinGrant(
        RegionName region, String id, String holder, String reason, Instant expiresAt) {}
