package dev.forebay.control.engine;

import dev.forebay.model.DatasetVersion;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A version that takes room in a region, and what speaks for keeping it.
 *
 * @param roomBytes about how much its chunks take, those too that it shares
 * @param uses how often it is expected to be asked for again
 * @param refetchCost what it would cost to have it again; empty if no price is stated
 * @param worth uses × cost ÷ bytes: what a byte of room is worth that it takes
 * @param evictableAt when its time to live passes; empty if it does not count
 * @param heldUntil when its last pin ends if nobody renews it; empty if that is not known
 */
record Occupant(
        DatasetVersion version,
        long roomBytes,
        Kind kind,
        double uses,
        @Nullable BigDecimal refetchCost,
        double worth,
        @Nullable Instant evictableAt,
        @Nullable Instant heldUntil) {

    /** What is going on with it. */
    enum Kind {
        /** Nobody holds it, nothing is done to it. */
        FREE,
        /** Somebody has a pin on it. */
        HELD,
        /** It is being filled, or is spared. */
        BUSY,
        /** It is being evicted. */
        LEAVING
    }

    /**
     * Who goes first: those whose time has passed, then those of which a byte is worth least, then
     * those whose time passes first.
     */
    static Comparator<Occupant> leavingOrder(Instant now) {
        return Comparator.comparing((Occupant each) -> !each.isExpired(now))
                .thenComparingDouble(Occupant::worth)
                .thenComparing(
                        Occupant::evictableAt, Comparator.nullsLast(Comparator.naturalOrder()))
                .thenComparing(each -> each.version().toString());
    }

    /** The same, that goes for nobody but when its time has passed. */
    Occupant sparedUntilExpired(Instant now) {
        return kind == Kind.FREE && !isExpired(now) ? as(Kind.BUSY) : this;
    }

    /** The same with something else going on with it. */
    Occupant as(Kind other) {
        return new Occupant(
                version, roomBytes, other, uses, refetchCost, worth, evictableAt, heldUntil);
    }

    /** Whether its time to live has passed. */
    boolean isExpired(Instant now) {
        return evictableAt != null && evictableAt.isBefore(now);
    }
}
