package dev.forebay.membership;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Tells once that somebody has been silent for too long, counted from its making. One thread. */
final class Silence {

    private final long tolerated;
    private final LongSupplier nanoTime;
    private final long began;
    private boolean told;

    Silence(Duration tolerated, LongSupplier nanoTime) {
        this.tolerated = tolerated.toNanos();
        this.nanoTime = nanoTime;
        this.began = nanoTime.getAsLong();
    }

    /** True the first time it is asked after what is tolerated has passed, and never again. */
    boolean isWorthAWarning() {
        if (told || nanoTime.getAsLong() - began < tolerated) {
            return false;
        }
        told = true;
        return true;
    }
}
