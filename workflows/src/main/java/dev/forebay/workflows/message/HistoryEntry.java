package dev.forebay.workflows.message;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An entry in the history of a version in a region. It tells people later why the version has its
 * state.
 *
 * @param id the same in every delivery of the entry
 * @param code the error code of a BLOCKED entry; otherwise absent
 * @param text the pin's holder, the reason of an eviction, or the error; may be empty
 * @param bytes the bytes present at that time
 */
public record HistoryEntry(
        String id,
        Instant at,
        RegionName region,
        Kind kind,
        @Nullable ErrorCode code,
        String text,
        long bytes) {

    public enum Kind {
        /** A client requested the version, and a fill began. */
        ASKED_FOR,
        /** Every byte was present and verified. */
        CACHED,
        /** The copy was complete, and workers turned out to lack a part of it. A fill began. */
        LOST,
        /** The fill was given up. */
        BLOCKED,
        /** The first pin was taken. */
        PINNED,
        /** The last pin ended. */
        RELEASED,
        /** An eviction began. */
        EVICTING,
        /** The eviction was refused because of a pin. */
        SPARED,
        /** The region holds nothing of the version any more. */
        EVICTED
    }
}
