package dev.forebay.workflows.message;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a version in a region, for people who ask later why it is as it is.
 *
 * @param id the same however often it is told
 * @param code what it is BLOCKED by; else absent
 * @param text who holds or held it, why it is evicted, what went wrong; may be empty
 * @param bytes that were there then
 */
public record Happening(
        String id,
        Instant at,
        RegionName region,
        Kind kind,
        @Nullable ErrorCode code,
        String text,
        long bytes) {

    public enum Kind {
        /** Somebody asked for it, and a filling began. */
        ASKED_FOR,
        /** Every byte was there and verified. */
        CACHED,
        /** It was complete, and workers turned out to lack some of it; a filling began. */
        LOST,
        /** Filling was given up. */
        BLOCKED,
        /** The first pin was taken. */
        PINNED,
        /** The last pin ended. */
        RELEASED,
        /** An eviction began. */
        EVICTING,
        /** The eviction found that somebody holds it. */
        SPARED,
        /** Nothing of it was left. */
        EVICTED
    }
}
