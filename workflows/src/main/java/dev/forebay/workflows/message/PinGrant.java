package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A pin that is held. Each renewal moves {@code expiresAt} in etcd, and the workflow learns of it
 * only later.
 *
 * @param job the uid of the Kubernetes Job that holds it, if one does
 * @param takenAt when the pin was last taken, or taken over by another process of its holder;
 *     different for each take; null if not known
 */
public record PinGrant(
        RegionName region,
        String id,
        String holder,
        String reason,
        Instant expiresAt,
        @Nullable String job,
        @Nullable Instant takenAt) {

    /** A pin without a known time of taking. */
    public PinGrant(
            RegionName region,
            String id,
            String holder,
            String reason,
            Instant expiresAt,
            @Nullable String job) {
        this(region, id, holder, reason, expiresAt, job, null);
    }

    /** A pin that no Job holds. */
    public PinGrant(RegionName region, String id, String holder, String reason, Instant expiresAt) {
        this(region, id, holder, reason, expiresAt, null);
    }

    /** Returns the same pin with another end. */
    public PinGrant until(Instant end) {
        return new PinGrant(region, id, holder, reason, end, job, takenAt);
    }
}
