package dev.forebay.membership;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;

/** A version that a region serves: one row of the mount table. */
public record Mount(DatasetVersion version, ManifestRef manifest, State state) {

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
