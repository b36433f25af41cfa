package dev.forebay.membership;

import dev.forebay.model.DatasetVersion;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A lease on a version in a region.
 *
 * @param id chosen by the client, unique per version; 1 to 64 characters of {@code A-Z a-z 0-9 . _
 *     -}
 * @param holder who holds it, for people
 * @param reason what for, for people
 * @param lease how long it lives without renewal
 * @param job the uid of the Kubernetes Job that holds it, if one does
 * @param renewed whether its holder has renewed it since it was taken; a pin for a fixed term never
 *     is
 */
public record Pin(
        DatasetVersion version,
        String id,
        String holder,
        String reason,
        Duration lease,
        @Nullable String job,
        boolean renewed) {

    /** A pin as it is taken. */
    public Pin(
            DatasetVersion version,
            String id,
            String holder,
            String reason,
            Duration lease,
            @Nullable String job) {
        this(version, id, holder, reason, lease, job, false);
    }

    /** Held by no Job. */
    public Pin(DatasetVersion version, String id, String holder, String reason, Duration lease) {
        this(version, id, holder, reason, lease, null);
    }

    /** Returns a pin of which only the key is understood. It counts; only its holder ends it. */
    static Pin ofLaterRelease(DatasetVersion version, String id) {
        return new Pin(
                version, id, "a holder that this release does not understand", "", Duration.ZERO);
    }

    /** The same pin after a renewal. */
    Pin asRenewed() {
        return new Pin(version, id, holder, reason, lease, job, true);
    }
}
