package dev.forebay.workflows.activity;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.Sibling;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.SpaceClaim;
import io.temporal.activity.ActivityInterface;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Changes and checks a version in a region. Runs on {@link
 * dev.forebay.workflows.TaskQueues#region}, and {@link #warm} on {@link
 * dev.forebay.workflows.TaskQueues#warm}. Every method is idempotent and fails with an {@code
 * ApplicationFailure} whose type is the name of an {@link dev.forebay.model.ErrorCode}.
 */
@ActivityInterface
public interface RegionActivities {

    /**
     * Enters the version into the region's mount table if there is space for it, and returns the
     * path where nodes of the region see it. The version then holds this space until it is evicted.
     *
     * <p>If there is no space, fails with CAPACITY_EXCEEDED. The message says why and how many
     * versions are ahead. The version keeps its place in the region's queue for two minutes. The
     * failure is not retryable if the version is next and evictions would free enough space: the
     * caller then evicts before its next attempt. Fails with TOO_LARGE if the version can never
     * fit.
     */
    String admit(DatasetVersion version, ManifestRef manifest, SpaceClaim claim);

    /**
     * Stores which sibling regions the workers ask for the version's bytes before the lake. Valid
     * until the version is unmounted or until the next call. An empty list means the lake alone.
     */
    void fillFrom(DatasetVersion version, List<Sibling> siblings);

    /**
     * Has the workers that own chunks {@code [fromOrdinal, toOrdinal)} of the version fill and
     * verify them. Heartbeats the ordinal reached and resumes from it.
     */
    WarmResult warm(DatasetVersion version, ManifestRef manifest, long fromOrdinal, long toOrdinal);

    /**
     * Asks every worker for its coverage, adds it up, and marks the version CACHED if nothing is
     * missing.
     */
    Coverage confirm(DatasetVersion version, ManifestRef manifest);

    /** Takes or renews a pin and returns its remaining lifetime. */
    Duration pin(DatasetVersion version, PinRequest request);

    /**
     * Returns the remaining lifetime of each of these pins of the version. The answer lacks pins
     * that have ended. One call covers all pins, so the workflow's history grows with time and not
     * with the number of pins.
     */
    Map<String, Duration> remaining(DatasetVersion version, List<String> pinIds);

    void unpin(DatasetVersion version, String pinId);

    /** Fences the version against new pins. Fails with PINNED while a pin lives. */
    void beginEviction(DatasetVersion version);

    /**
     * Has every worker drop the chunks that no other version of the region needs, then removes the
     * mount. Heartbeats.
     */
    void drop(DatasetVersion version, ManifestRef manifest);

    /**
     * The result for a range of chunks.
     *
     * @param bytesVerified live bytes now present in the chunks of the range
     * @param bytesFromLake bytes read from the lake for the range, in this call and in the attempts
     *     that it resumed, as far as they are known; only for progress, because {@link Coverage}
     *     has the exact count
     * @param objects files whose last byte lies in the range
     */
    record WarmResult(long bytesVerified, long bytesFromLake, long objects) {}

    /**
     * The payload of a heartbeat of {@link #warm}: its progress, and where the next attempt
     * resumes.
     *
     * @param next the lowest ordinal that is not finished
     * @param bytesFromLake bytes read from the lake so far, including chunks above {@code next}
     * @param bytesVerified live bytes of the range below {@code next}
     * @param objects files whose last byte lies in the range below {@code next}
     */
    record WarmProgress(long next, long bytesFromLake, long bytesVerified, long objects) {}

    /**
     * The coverage of a version: what the region's workers hold of it.
     *
     * @param firstMissing the ordinal of the first chunk that is missing, or -1
     * @param bytesFromLake bytes that workers have read from the lake for the version since it was
     *     mounted, for any caller
     * @param bytesFromSiblings the same for bytes from sibling regions
     */
    record Coverage(
            long bytesVerified, long firstMissing, long bytesFromLake, long bytesFromSiblings) {

        public boolean complete() {
            return firstMissing < 0;
        }
    }
}
