package dev.forebay.agent.admission;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A budget of memory for requests that are being read. A request that finds too little fails at
 * once. Safe for use by many threads.
 */
final class MemoryBudget {

    private final AtomicLong left;

    MemoryBudget(long bytes) {
        this.left = new AtomicLong(bytes);
    }

    /** Takes bytes from the budget, if available. The returned action gives them back, once. */
    Optional<Runnable> take(long bytes) {
        if (left.addAndGet(-bytes) < 0) {
            left.addAndGet(bytes);
            return Optional.empty();
        }
        AtomicBoolean back = new AtomicBoolean();
        return Optional.of(
                () -> {
                    if (back.compareAndSet(false, true)) {
                        left.addAndGet(bytes);
                    }
                });
    }
}
