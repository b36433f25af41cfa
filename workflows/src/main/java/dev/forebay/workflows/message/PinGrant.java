package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A pin that is held; {@code expiresAt} moves on with each renewal, which the workflow does not see
 * at once.
 *
 * @param job the uid of the Kubernetes Job that holds it, if one does
 */
public record PinGrant(
        RegionName region,
        String id,
        String holder,
        String reason,
        Instant expiresAt,
        @Nullable String job) {

    /** Held by no Job. */
    public PinGrant(RegionName region, String id, String holder, String reason, Instant expiresAt) {
        this(region, id, holder, reason, expiresAt, null);
    }

    /** The same pin with another end. */
    public PinGrant until(Instant end) {
        return new PinGrant(region, id, holder, reason, end, job);
    }
}
