package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What one region holds of a version.
 *
 * @param bytesCached bytes present and verified
 * @param bytesFromLake bytes taken from the lake for the present copy
 * @param path where the version appears on the region's nodes, once it is mounted
 * @param cachedAt when it became complete
 * @param evictableAt when its TTL passes; empty while it is pinned or not cached
 * @param blocked why nothing goes on, and what to do; empty unless it is BLOCKED
 * @param objectsCached files whose last byte was filled; all of them once it is CACHED
 * @param filling its present filling; empty unless it is WARMING and mounted
 * @param bytesFromSiblings bytes taken from other regions for the present copy, as it was confirmed
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
     * A filling, from the beginning of the version on.
     *
     * @param bytes what was there already when it began
     * @param bytesCounted what of the version it has come to; less than what is there as long as it
     *     comes by what was there already, and 0 when it goes over the version again
     * @param objectsCounted as many files
     */
    public record Filling(Instant since, long bytes, long bytesCounted, long objectsCounted) {

        /** One that has come to nothing yet. */
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
         * Filling has failed for good; waits for {@code resume} or another {@code ensureCached}.
         */
        BLOCKED
    }
}
