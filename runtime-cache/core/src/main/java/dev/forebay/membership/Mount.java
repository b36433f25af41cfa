package dev.forebay.membership;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;

/**
 * A version that a region serves: one row of the mount table.
 *
 * @param replicas how many workers are to hold each of its chunks, for many nodes read it at once
 */
public record Mount(DatasetVersion version, ManifestRef manifest, State state, int replicas) {

    /** A version of which one worker holds each chunk. */
    public Mount(DatasetVersion version, ManifestRef manifest, State state) {
        this(version, manifest, state, 1);
    }

    Mount withReplicas(int count) {
        return new Mount(version, manifest, state, count);
    }

    /** What the region may do with the version's bytes. */
    public enum State {
        /** Being filled; readable, missing bytes are fetched on demand. */
        WARMING,
        /** Complete and verified. */
        CACHED,
        /** Being dropped; no new pin, no new open. */
        EVICTING
    }
}
