package dev.forebay.service.space;

import dev.forebay.model.DatasetVersion;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A version that takes space in a region, as a candidate for eviction.
 *
 * @param spaceBytes about how much space its chunks take, including shared ones
 * @param isExpired whether its time to live has ended
 * @param evictableAt when its time to live ends; null if it does not run, or that is not known
 * @param heldUntil when its last pin ends without a renewal; null if that is not known
 */
public record EvictionCandidate(
        DatasetVersion version,
        Kind kind,
        long spaceBytes,
        Value value,
        boolean isExpired,
        @Nullable Instant evictableAt,
        @Nullable Instant heldUntil) {

    /**
     * Expired versions first, then by the value of a byte. Versions of equal value go by the end of
     * the time to live.
     */
    static final Comparator<EvictionCandidate> EVICTION_ORDER =
            Comparator.comparing((EvictionCandidate each) -> !each.isExpired())
                    .thenComparingDouble(
                            each -> each.value().total() / Math.max(1, each.spaceBytes()))
                    .thenComparing(
                            EvictionCandidate::evictableAt,
                            Comparator.nullsLast(Comparator.naturalOrder()))
                    .thenComparing(each -> each.version().toString());

    /** The reason why a version can or cannot be evicted. */
    public enum Kind {
        /** It is unpinned, and no work runs for it. */
        FREE,
        /** A pin protects it. */
        HELD,
        /** It is being filled, or must not be chosen. */
        BUSY,
        /** It is being evicted. */
        LEAVING;

        /**
         * Returns the kind of a mounted version.
         *
         * @param state the name of the state of its mount. Only the later release that wrote an
         *     unknown state knows whether the version may be evicted
         */
        public static Kind of(String state, boolean pinned) {
            return switch (state) {
                case "EVICTING" -> LEAVING;
                case "CACHED" -> pinned ? HELD : FREE;
                default -> pinned ? HELD : BUSY;
            };
        }
    }

    /**
     * The worth of a version.
     *
     * @param uses the expected number of further uses
     * @param refetchCost the cost of filling it again; null if no price is configured
     * @param total uses × cost of filling it again
     */
    public record Value(double uses, @Nullable BigDecimal refetchCost, double total) {

        /** For a caller that does not know the value. All versions then have the same. */
        static final Value UNKNOWN = new Value(0, null, 0);
    }

    /** Returns a version of unknown value and time to live. */
    public static EvictionCandidate unrated(DatasetVersion version, Kind kind) {
        return new EvictionCandidate(version, kind, 0, Value.UNKNOWN, false, null, null);
    }

    /** Returns this version with another kind. */
    EvictionCandidate as(Kind other) {
        return new EvictionCandidate(
                version, other, spaceBytes, value, isExpired, evictableAt, heldUntil);
    }
}
