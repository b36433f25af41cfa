package dev.forebay.operator;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A resource as it was read.
 *
 * @param uid tells it from others of its name, before and after
 * @param status what was written last
 * @param deletedAt when somebody wanted it to go; null if nobody has
 */
record Declared(
        String namespace,
        String name,
        String uid,
        long generation,
        DatasetSpec spec,
        DatasetStatus status,
        @Nullable Instant deletedAt) {

    /** What the API calls the dataset. */
    String dataset() {
        return namespace + "/" + name;
    }

    /** The id of all of its pins, one for each version and region. */
    String pin() {
        return "dataset-" + uid;
    }

    /** Who holds those pins, for people. */
    String holder() {
        return "Dataset " + dataset();
    }

    /**
     * The idempotency key of its request: whoever asks for the same because of it sends the same
     * request.
     *
     * @param lease of the pin that is asked for
     */
    String request(String version, String region, String priority, Duration lease) {
        String asked = String.join("\n", uid, version, region, priority, lease.toString());
        return "dataset-" + UUID.nameUUIDFromBytes(asked.getBytes(StandardCharsets.UTF_8));
    }
}
