package dev.forebay.control.engine;

import dev.forebay.control.engine.Underway.Work;
import dev.forebay.lifecycle.Pace;
import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.Filling;
import dev.forebay.workflows.message.Residency.State;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How far a region is with a version.
 *
 * @param residency what the workflow says of it
 * @param manifest what there is of the version; empty until it is listed
 * @param bytes present and verified, as far as is known
 * @param objects files filled to their last byte, as far as is known
 * @param work what is under way there
 */
public record RegionProgress(
        Residency residency,
        @Nullable ManifestRef manifest,
        long bytes,
        long objects,
        Work work,
        Instant at) {

    private static final int ALL = 100;

    /** What the workflow says and what its activity has said since then, together. */
    static RegionProgress of(
            Residency residency, @Nullable ManifestRef manifest, Work work, Instant at) {
        if (residency.state() != State.WARMING || manifest == null) {
            return new RegionProgress(
                    residency,
                    manifest,
                    residency.bytesCached(),
                    residency.objectsCached(),
                    work,
                    at);
        }
        // Who fills anew comes by what is there already: that is not added to what is there.
        Filling filling = residency.filling();
        long bytes = (filling == null ? 0 : filling.bytesCounted()) + work.bytes();
        long objects = (filling == null ? 0 : filling.objectsCounted()) + work.objects();
        return new RegionProgress(
                residency,
                manifest,
                Math.min(manifest.bytes(), Math.max(residency.bytesCached(), bytes)),
                Math.min(manifest.objects(), Math.max(residency.objectsCached(), objects)),
                work,
                at);
    }

    /** What only the workflow has said. */
    public static RegionProgress of(Residency residency, @Nullable ManifestRef manifest) {
        return of(residency, manifest, Work.NONE, Instant.now());
    }

    /** The same with at least so much. */
    RegionProgress atLeast(long knownBytes, long knownObjects) {
        return new RegionProgress(
                residency,
                manifest,
                Math.max(bytes, knownBytes),
                Math.max(objects, knownObjects),
                work,
                at);
    }

    /** Of a hundred, rounded down; 100 only if the region is CACHED. */
    public int percent() {
        if (residency.state() == State.CACHED) {
            return ALL;
        }
        if (manifest == null || manifest.bytes() == 0) {
            return 0;
        }
        return (int) Math.min(ALL - 1, (double) bytes / manifest.bytes() * ALL);
    }

    /** How fast it is filled, if it is. */
    public Optional<Pace> pace() {
        return Pace.of(residency, manifest, bytes, at);
    }

    /** Whether it goes on by itself. */
    public boolean isMoving() {
        return residency.state() == State.WARMING || residency.state() == State.EVICTING;
    }
}
