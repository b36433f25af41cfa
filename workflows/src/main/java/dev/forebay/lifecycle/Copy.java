package dev.forebay.lifecycle;

import dev.forebay.lifecycle.Event.Confirmed;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.State;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The steps that a region's copy of a version takes, each from one {@link Residency} to the next.
 */
final class Copy {

    private Copy() {}

    static Residency absent(RegionName region) {
        return new Residency(region, State.ABSENT, 0, 0, null, null, null, null);
    }

    /**
     * A filling begins: the region will say again where it shows the copy. What earlier fillings
     * took from the lake for this copy stays counted.
     *
     * @param bytesCached what is there already
     */
    static Residency filling(Residency now, long bytesCached) {
        return new Residency(
                now.region(),
                State.WARMING,
                bytesCached,
                now.bytesFromLake(),
                null,
                null,
                null,
                null);
    }

    static Residency mounted(Residency now, String path) {
        return new Residency(
                now.region(),
                now.state(),
                now.bytesCached(),
                now.bytesFromLake(),
                path,
                null,
                null,
                null);
    }

    static Residency progressed(Residency now, long bytesCached, long bytesFromLake) {
        return new Residency(
                now.region(),
                now.state(),
                Math.max(now.bytesCached(), bytesCached),
                Math.max(now.bytesFromLake(), bytesFromLake),
                now.path(),
                null,
                null,
                null);
    }

    static Residency cached(Residency now, Confirmed confirmed, @Nullable Instant evictableAt) {
        return new Residency(
                now.region(),
                State.CACHED,
                confirmed.bytesVerified(),
                Math.max(now.bytesFromLake(), confirmed.bytesFromLake()),
                now.path(),
                confirmed.at(),
                evictableAt,
                null);
    }

    static Residency blocked(Residency now, Problem problem) {
        return new Residency(
                now.region(),
                State.BLOCKED,
                now.bytesCached(),
                now.bytesFromLake(),
                now.path(),
                null,
                null,
                problem);
    }

    /** Keeps {@code cachedAt}, which tells {@link #spared} what the copy was. */
    static Residency evicting(Residency now) {
        return new Residency(
                now.region(),
                State.EVICTING,
                now.bytesCached(),
                now.bytesFromLake(),
                now.path(),
                now.cachedAt(),
                null,
                null);
    }

    /** The eviction did not happen: somebody holds the copy, so an incomplete one is filled on. */
    static Residency spared(Residency now, Instant evictableAt) {
        return new Residency(
                now.region(),
                now.cachedAt() == null ? State.WARMING : State.CACHED,
                now.bytesCached(),
                now.bytesFromLake(),
                now.path(),
                now.cachedAt(),
                now.cachedAt() == null ? null : evictableAt,
                null);
    }

    static Residency evictable(Residency now, @Nullable Instant at) {
        return new Residency(
                now.region(),
                now.state(),
                now.bytesCached(),
                now.bytesFromLake(),
                now.path(),
                now.cachedAt(),
                at,
                now.blocked());
    }
}
