package dev.forebay.operator;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A resource as it was read.
 *
 * @param uid distinguishes it from earlier and later resources of the same name
 * @param status the last written status
 * @param deletedAt when it was marked for deletion; null if it is not
 */
record DeclaredDataset(
        String namespace,
        String name,
        String uid,
        long generation,
        DatasetSpec spec,
        DatasetStatus status,
        @Nullable Instant deletedAt) {

    /** Returns the dataset's name in the API. */
    String dataset() {
        return namespace + "/" + name;
    }

    /** Returns the id of all of its pins, one for each version and region. */
    String pin() {
        return "dataset-" + uid;
    }

    /** Returns the holder of those pins, for people. */
    String holder() {
        return "Dataset " + dataset();
    }

    /**
     * Returns the idempotency key of its request. Every replica sends the same request under the
     * same key.
     *
     * @param lease of the requested pin
     */
    String request(String version, String region, String priority, Duration lease) {
        String asked = String.join("\n", uid, version, region, priority, lease.toString());
        return "dataset-" + UUID.nameUUIDFromBytes(asked.getBytes(StandardCharsets.UTF_8));
    }
}
