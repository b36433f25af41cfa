package dev.forebay.membership;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.Sibling;
import java.util.List;

/**
 * A version that a region serves: one row of the mount table.
 *
 * @param replicas how many workers are to hold each of its chunks, for many nodes read it at once
 * @param siblings other regions to ask for its bytes before the lake, in order
 */
public record Mount(
        DatasetVersion version,
        ManifestRef manifest,
        State state,
        int replicas,
        List<Sibling> siblings) {

    /** A version of which one worker holds each chunk, from the lake. */
    public Mount(DatasetVersion version, ManifestRef manifest, State state) {
        this(version, manifest, state, 1, List.of());
    }

    Mount in(State other) {
        return new Mount(version, manifest, other, replicas, siblings);
    }

    Mount with(int replicaCount, List<Sibling> otherRegions) {
        return new Mount(version, manifest, state, replicaCount, otherRegions);
    }

    /** What the region may do with the version's bytes. */
    public enum State {
        /** Being filled; readable, missing bytes are fetched on demand. */
        WARMING,
        /** Complete and verified. */
        CACHED,
        /** Being dropped; no new pin, no new open. */
        EVICTING,
        /** What a later release says: it is read, kept, and left as it is. Never written. */
        @JsonEnumDefaultValue
        UNKNOWN
    }
}
