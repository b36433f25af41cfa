package dev.forebay.workflows.activity;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.Sibling;
import dev.forebay.workflows.message.Claim;
import dev.forebay.workflows.message.PinRequest;
import io.temporal.activity.ActivityInterface;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What a region does to a version; on {@link dev.forebay.workflows.TaskQueues#region}, and the
 * warming on {@link dev.forebay.workflows.TaskQueues#warm}. Every method is idempotent and fails
 * with an {@code ApplicationFailure} whose type is the name of an {@link
 * dev.forebay.model.ErrorCode}.
 */
@ActivityInterface
public interface RegionActivities {

    /**
     * Enters the version into the region's mount table, room or not, and returns the path where
     * nodes of the region see it.
     */
    String mount(DatasetVersion version, ManifestRef manifest);

    /**
     * Enters the version into the region's mount table, as {@link #mount}, as soon as there is room
     * for it: then the room is its own until it is evicted. Fails with CAPACITY_EXCEEDED, which
     * says why and how many are before it, as long as it has to wait, and keeps its place in the
     * region's queue for two minutes; that is not retryable where it is next and evictions would
     * make enough room, so that it is made before the next attempt. Fails with TOO_LARGE if it can
     * never fit.
     */
    String admit(DatasetVersion version, ManifestRef manifest, Claim claim);

    /**
     * Says which other regions the workers ask for the version's bytes before the lake, until it is
     * unmounted or this is said anew; none for the lake alone.
     */
    void fillFrom(DatasetVersion version, List<Sibling> siblings);

    /**
     * Has chunks {@code [fromOrdinal, toOrdinal)} of the version filled and verified by the workers
     * that placement chooses. Heartbeats the ordinal reached and resumes from it.
     */
    WarmResult warm(DatasetVersion version, ManifestRef manifest, long fromOrdinal, long toOrdinal);

    /**
     * Asks every worker what it holds, adds it up, and moves the version to CACHED if nothing is
     * missing.
     */
    Coverage confirm(DatasetVersion version, ManifestRef manifest);

    /** Takes or renews a pin and returns how long it lives. */
    Duration pin(DatasetVersion version, PinRequest request);

    /**
     * How long each of these pins of the version has still to live; a pin that has ended is not in
     * the answer. One question for all pins, so that a workflow's history grows with time and not
     * with the number of pins.
     */
    Map<String, Duration> remaining(DatasetVersion version, List<String> pinIds);

    void unpin(DatasetVersion version, String pinId);

    /** Fences the version against new pins; fails with PINNED while one lives. */
    void beginEviction(DatasetVersion version);

    /**
     * Has every worker drop the chunks that no other version of the region needs, then removes the
     * mount. Heartbeats.
     */
    void drop(DatasetVersion version, ManifestRef manifest);

    /**
     * What became of a range of chunks.
     *
     * @param bytesVerified live bytes now present in the chunks of the range
     * @param bytesFromLake bytes that came from the lake for it in this call and the attempts it
     *     resumed, as far as they are known: for progress, the count is in {@link Coverage}
     * @param objects files whose last byte lies in the range
     */
    record WarmResult(long bytesVerified, long bytesFromLake, long objects) {}

    /**
     * What a heartbeat of {@link #warm} carries: how far it is, and where another attempt goes on.
     *
     * @param next the lowest ordinal that is not finished
     * @param bytesFromLake bytes that came from the lake so far, for chunks above {@code next} too
     * @param bytesVerified live bytes of the range below {@code next}
     * @param objects files whose last byte lies in the range below {@code next}
     */
    record WarmProgress(long next, long bytesFromLake, long bytesVerified, long objects) {}

    /**
     * What the workers hold of a version.
     *
     * @param firstMissing the ordinal of the first chunk that is missing, or -1
     * @param bytesFromLake what they have read from the lake for it since it was mounted, whoever
     *     asked them to
     * @param bytesFromSiblings the same of bytes from other regions
     */
    record Coverage(
            long bytesVerified, long firstMissing, long bytesFromLake, long bytesFromSiblings) {

        public boolean complete() {
            return firstMissing < 0;
        }
    }
}
