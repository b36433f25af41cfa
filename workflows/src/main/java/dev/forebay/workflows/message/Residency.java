package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state of a version in one region.
 *
 * @param bytesCached bytes present and verified
 * @param bytesFromLake bytes taken from the lake for the present copy
 * @param path where the version appears on the region's nodes, once it is mounted
 * @param cachedAt when it became complete
 * @param evictableAt when its TTL ends; empty while it is pinned or not cached
 * @param blocked the error and what to do about it; empty unless it is BLOCKED
 * @param objectsCached files whose last byte was filled; all of them once it is CACHED
 * @param filling its present fill; empty unless it is WARMING and mounted
 * @param bytesFromSiblings bytes taken from sibling regions for the present copy, as last confirmed
 */
public record Residency(
        RegionName region,
        State state,
        long bytesCached,
        long bytesFromLake,
        @Nullable String path,
        @Nullable Instant cachedAt,
        @Nullable Instant evictableAt,
        @Nullable Problem blocked,
        long objectsCached,
        @Nullable Filling filling,
        long bytesFromSiblings) {

    /**
     * A fill, which goes through the version from its first byte.
     *
     * @param bytes the bytes present when it began
     * @param bytesCounted how many bytes of the version it has gone through; below the bytes
     *     present while it passes what was present before, and 0 in later rounds
     * @param objectsCounted the same in files
     */
    public record Filling(Instant since, long bytes, long bytesCounted, long objectsCounted) {

        /** A fill that has not reached anything yet. */
        public Filling(Instant since, long bytes) {
            this(since, bytes, 0, 0);
        }
    }

    public enum State {
        ABSENT,
        WARMING,
        CACHED,
        EVICTING,
        /**
         * The fill has failed for good. The region waits for {@code resume} or another {@code
         * ensureCached}.
         */
        BLOCKED
    }
}
