package dev.forebay.control.progress;

import dev.forebay.control.progress.RunningActivities.Work;
import dev.forebay.lifecycle.FillEstimate;
import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.Filling;
import dev.forebay.workflows.message.Residency.State;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a version in a region.
 *
 * @param residency the state according to the workflow
 * @param manifest the manifest of the version; null until the version is listed
 * @param bytes the known bytes that are present and verified
 * @param objects the known number of files that are present to the last byte
 * @param work what runs for the version there
 */
public record RegionProgress(
        Residency residency,
        @Nullable ManifestRef manifest,
        long bytes,
        long objects,
        Work work,
        Instant at) {

    private static final int ALL = 100;

    /** Combines the workflow's status with the later progress of its activity. */
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
        // A repeated fill also counts the bytes that are present, so the result is the maximum, not
        // the sum.
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

    /** Returns the progress that the workflow has reported. */
    public static RegionProgress of(Residency residency, @Nullable ManifestRef manifest) {
        return of(residency, manifest, Work.NONE, Instant.now());
    }

    /** Returns this progress, raised to at least these values. */
    RegionProgress atLeast(long knownBytes, long knownObjects) {
        return new RegionProgress(
                residency,
                manifest,
                Math.max(bytes, knownBytes),
                Math.max(objects, knownObjects),
                work,
                at);
    }

    /** Returns the percentage, rounded down. Returns 100 only if the region is CACHED. */
    public int percent() {
        if (residency.state() == State.CACHED) {
            return ALL;
        }
        if (manifest == null || manifest.bytes() == 0) {
            return 0;
        }
        return (int) Math.min(ALL - 1, (double) bytes / manifest.bytes() * ALL);
    }

    /** Returns the rate of the fill; empty if none is running. */
    public Optional<FillEstimate> pace() {
        return FillEstimate.of(residency, manifest, bytes, at);
    }

    /** Returns whether the region is being filled or evicted. */
    public boolean isMoving() {
        return residency.state() == State.WARMING || residency.state() == State.EVICTING;
    }
}
