package dev.forebay.membership.etcd;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Decides when to warn, once, that a server has not answered since this object was created. Not
 * thread-safe.
 */
final class OneTimeWarning {

    private final long tolerated;
    private final LongSupplier nanoTime;
    private final long began;
    private boolean told;

    OneTimeWarning(Duration tolerated, LongSupplier nanoTime) {
        this.tolerated = tolerated.toNanos();
        this.nanoTime = nanoTime;
        this.began = nanoTime.getAsLong();
    }

    /** Returns true on the first call after the tolerated time, and never again. */
    boolean isWorthAWarning() {
        if (told || nanoTime.getAsLong() - began < tolerated) {
            return false;
        }
        told = true;
        return true;
    }
}
