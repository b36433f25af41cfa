package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A pin that is held; {@code expiresAt} moves on with each renewal, which the workflow does not see
 * at once.
 *
 * @param job the uid of the Kubernetes Job that holds it, if one does
 * @param takenAt when it was taken last, or taken over by another process of its holder, which
 *     differs from take to take; null where that is not known
 */
public record PinGrant(
        RegionName region,
        String id,
        String holder,
        String reason,
        Instant expiresAt,
        @Nullable String job,
        @Nullable Instant takenAt) {

    /** Of which it is not known when it was taken. */
    public PinGrant(
            RegionName region,
            String id,
            String holder,
            String reason,
            Instant expiresAt,
            @Nullable String job) {
        this(region, id, holder, reason, expiresAt, job, null);
    }

    /** Held by no Job. */
    public PinGrant(RegionName region, String id, String holder, String reason, Instant expiresAt) {
        this(region, id, holder, reason, expiresAt, null);
    }

    /** The same pin with another end. */
    public PinGrant until(Instant end) {
        return new PinGrant(region, id, holder, reason, end, job, takenAt);
    }
}
