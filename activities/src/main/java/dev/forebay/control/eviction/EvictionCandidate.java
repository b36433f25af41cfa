package dev.forebay.control.eviction;

import dev.forebay.model.DatasetVersion;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A version that takes capacity in a region, with its value for the choice of victims.
 *
 * @param roomBytes about how much capacity its chunks take, including shared ones
 * @param uses the expected number of further requests
 * @param refetchCost the cost of filling it again; null if no price is configured
 * @param worth uses × cost ÷ bytes: the value of one byte of its capacity
 * @param evictableAt when its time to live ends; null if it does not run
 * @param heldUntil when its last pin ends without a renewal; null if that is not known
 */
public record EvictionCandidate(
        DatasetVersion version,
        long roomBytes,
        Kind kind,
        double uses,
        @Nullable BigDecimal refetchCost,
        double worth,
        @Nullable Instant evictableAt,
        @Nullable Instant heldUntil) {

    /** The reason why a version can or cannot be evicted. */
    public enum Kind {
        /** It is unpinned, and no work runs for it. */
        FREE,
        /** A pin protects it. */
        HELD,
        /** It is being filled, or must not be chosen. */
        BUSY,
        /** It is being evicted. */
        LEAVING
    }

    /**
     * Returns the eviction order: expired versions first, then by the value of a byte, then by the
     * end of the time to live.
     */
    static Comparator<EvictionCandidate> leavingOrder(Instant now) {
        return Comparator.comparing((EvictionCandidate each) -> !each.isExpired(now))
                .thenComparingDouble(EvictionCandidate::worth)
                .thenComparing(
                        EvictionCandidate::evictableAt,
                        Comparator.nullsLast(Comparator.naturalOrder()))
                .thenComparing(each -> each.version().toString());
    }

    /** Returns this version, protected unless its time to live has ended. */
    public EvictionCandidate sparedUntilExpired(Instant now) {
        return kind == Kind.FREE && !isExpired(now) ? as(Kind.BUSY) : this;
    }

    /** Returns this version with another kind. */
    public EvictionCandidate as(Kind other) {
        return new EvictionCandidate(
                version, roomBytes, other, uses, refetchCost, worth, evictableAt, heldUntil);
    }

    /** Returns whether its time to live has ended. */
    boolean isExpired(Instant now) {
        return evictableAt != null && evictableAt.isBefore(now);
    }
}
