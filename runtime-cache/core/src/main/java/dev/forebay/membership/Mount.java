package dev.forebay.membership;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.Sibling;
import java.util.List;

/**
 * A version that a region serves: one row of the mount table.
 *
 * @param replicas number of workers that hold each of its chunks; more than 1 if many nodes read it
 *     at once
 * @param siblings other regions to ask for its bytes before the lake, in order
 */
public record Mount(
        DatasetVersion version,
        ManifestRef manifest,
        State state,
        int replicas,
        List<Sibling> siblings) {

    /** Creates a mount with one copy of each chunk, filled from the lake. */
    public Mount(DatasetVersion version, ManifestRef manifest, State state) {
        this(version, manifest, state, 1, List.of());
    }

    public Mount in(State other) {
        return new Mount(version, manifest, other, replicas, siblings);
    }

    public Mount with(int replicaCount, List<Sibling> otherRegions) {
        return new Mount(version, manifest, state, replicaCount, otherRegions);
    }

    /** The state of the version in the region. */
    public enum State {
        /** Being filled. Readers can use it: the region fetches missing bytes on demand. */
        WARMING,
        /** Complete and verified. */
        CACHED,
        /** Being evicted. It accepts no new pin and no new open. */
        EVICTING,
        /**
         * A state of a later release. This release keeps such a row as it is, and never writes this
         * state.
         */
        @JsonEnumDefaultValue
        UNKNOWN
    }
}
