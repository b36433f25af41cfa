package dev.forebay.membership;

import dev.forebay.model.DatasetVersion;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A lease on a version in a region, which protects it from eviction.
 *
 * @param id chosen by the client, unique per version; 1 to 64 characters of {@code A-Z a-z 0-9 . _
 *     -}
 * @param holder the owner of the pin, for people
 * @param reason the purpose of the pin, for people
 * @param lease its lifetime without a renewal, in whole seconds, at least 1
 * @param job the uid of the Kubernetes Job that holds it, if there is one
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

    /** Creates a pin that has not been renewed. */
    public Pin(
            DatasetVersion version,
            String id,
            String holder,
            String reason,
            Duration lease,
            @Nullable String job) {
        this(version, id, holder, reason, lease, job, false);
    }

    /** Creates a pin that no Job holds. */
    public Pin(DatasetVersion version, String id, String holder, String reason, Duration lease) {
        this(version, id, holder, reason, lease, null);
    }

    /**
     * Returns a pin of which only the key is understood. It protects its version, and only its
     * holder ends it.
     */
    public static Pin ofLaterRelease(DatasetVersion version, String id) {
        return new Pin(
                version,
                id,
                "an unknown owner, in a row that a later release wrote",
                "",
                Duration.ZERO);
    }

    /** Returns the same pin after a renewal. */
    public Pin asRenewed() {
        return new Pin(version, id, holder, reason, lease, job, true);
    }
}
