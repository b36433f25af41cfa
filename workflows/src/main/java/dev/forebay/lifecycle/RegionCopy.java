package dev.forebay.lifecycle;

import dev.forebay.lifecycle.VersionEvent.Confirmed;
import dev.forebay.lifecycle.VersionEvent.FillCounted;
import dev.forebay.lifecycle.VersionEvent.WarmProgressed;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.Filling;
import dev.forebay.workflows.message.Residency.State;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Derives the next {@link Residency} of a region's copy for each kind of event. Pure functions. */
final class RegionCopy {

    private RegionCopy() {}

    static Residency absent(RegionName region) {
        return new Residency(region, State.ABSENT, 0, 0, null, null, null, null, 0, null, 0);
    }

    /**
     * Returns a copy whose fill begins. The region reports the path of the copy again. The count of
     * bytes that earlier fills took from the lake stays.
     */
    static Residency filling(Residency now) {
        return new Residency(
                now.region(),
                State.WARMING,
                now.bytesCached(),
                now.bytesFromLake(),
                null,
                null,
                null,
                null,
                now.objectsCached(),
                null,
                now.bytesFromSiblings());
    }

    /** Returns a copy that is filled again and whose bytes are counted again from 0. */
    static Residency lost(Residency now) {
        return new Residency(
                now.region(),
                State.WARMING,
                0,
                now.bytesFromLake(),
                null,
                null,
                null,
                null,
                0,
                null,
                now.bytesFromSiblings());
    }

    static Residency mounted(Residency now, String path, Instant at) {
        return new Residency(
                now.region(),
                now.state(),
                now.bytesCached(),
                now.bytesFromLake(),
                path,
                null,
                null,
                null,
                now.objectsCached(),
                now.filling() == null ? new Filling(at, now.bytesCached()) : now.filling(),
                now.bytesFromSiblings());
    }

    static Residency progressed(Residency now, WarmProgressed by) {
        return new Residency(
                now.region(),
                now.state(),
                Math.max(now.bytesCached(), by.bytesCached()),
                Math.max(now.bytesFromLake(), by.bytesFromLake()),
                now.path(),
                null,
                null,
                null,
                Math.max(now.objectsCached(), by.objectsCached()),
                now.filling(),
                now.bytesFromSiblings());
    }

    static Residency counted(Residency now, FillCounted counted) {
        Filling filling = now.filling();
        return filling == null
                ? now
                : new Residency(
                        now.region(),
                        now.state(),
                        now.bytesCached(),
                        now.bytesFromLake(),
                        now.path(),
                        null,
                        null,
                        null,
                        now.objectsCached(),
                        new Filling(
                                filling.since(),
                                filling.bytes(),
                                counted.bytes(),
                                counted.objects()),
                        now.bytesFromSiblings());
    }

    static Residency cached(
            Residency now, Confirmed confirmed, long objects, @Nullable Instant evictableAt) {
        return new Residency(
                now.region(),
                State.CACHED,
                confirmed.bytesVerified(),
                Math.max(now.bytesFromLake(), confirmed.bytesFromLake()),
                now.path(),
                confirmed.at(),
                evictableAt,
                null,
                objects,
                null,
                Math.max(now.bytesFromSiblings(), confirmed.bytesFromSiblings()));
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
                problem,
                now.objectsCached(),
                null,
                now.bytesFromSiblings());
    }

    /**
     * Returns a copy that is being evicted. It keeps {@code cachedAt}, so that {@link #spared}
     * knows whether the copy was complete.
     */
    static Residency evicting(Residency now) {
        return new Residency(
                now.region(),
                State.EVICTING,
                now.bytesCached(),
                now.bytesFromLake(),
                now.path(),
                now.cachedAt(),
                null,
                null,
                now.objectsCached(),
                null,
                now.bytesFromSiblings());
    }

    /**
     * Returns a copy whose eviction the region refused because of a pin. An incomplete copy
     * continues to fill.
     */
    static Residency spared(Residency now, Instant evictableAt) {
        return new Residency(
                now.region(),
                now.cachedAt() == null ? State.WARMING : State.CACHED,
                now.bytesCached(),
                now.bytesFromLake(),
                now.path(),
                now.cachedAt(),
                now.cachedAt() == null ? null : evictableAt,
                null,
                now.objectsCached(),
                null,
                now.bytesFromSiblings());
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
                now.blocked(),
                now.objectsCached(),
                now.filling(),
                now.bytesFromSiblings());
    }
}
