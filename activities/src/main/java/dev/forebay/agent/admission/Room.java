package dev.forebay.agent.admission;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Memory for what is being read, of which nobody waits for any. Safe for use by many threads. */
final class Room {

    private final AtomicLong left;

    Room(long bytes) {
        this.left = new AtomicLong(bytes);
    }

    /** Takes so much, if it is there; what is returned gives it back, once. */
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
