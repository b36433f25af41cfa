package dev.forebay.worker;

import dev.forebay.membership.RegionState;
import dev.forebay.thread.Closing;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that this process was stopped (by SIGSTOP or a frozen cgroup) for so long that the region
 * may have gone on without it, and has not looked at the region's state since.
 *
 * <p>An etcd that is away is something else: then the last known state goes on being used, and if
 * etcd does not answer for a while after a pause, so it is then. Safe for use by many threads.
 */
final class PauseGuard implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PauseGuard.class);

    /** A half of the liveness lease: before, nobody takes this worker for dead. */
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private static final Duration TICK = Duration.ofMillis(500);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final RegionState state;
    private final Closing closing = new Closing();
    private volatile long lastTickNanos = System.nanoTime();
    private volatile long wokeNanos;
    private volatile boolean woke;

    private PauseGuard(RegionState state) {
        this.state = state;
    }

    static PauseGuard start(RegionState state) {
        PauseGuard guard = new PauseGuard(state);
        // A platform thread: it must not wait for others to yield.
        Thread.ofPlatform().daemon().name("pause-guard").start(guard::tick);
        return guard;
    }

    /** Whether this process may be behind the region for having been stopped. Never blocks. */
    boolean behind() {
        long now = System.nanoTime();
        if (now - lastTickNanos > LIMIT.toNanos()) {
            // Awake again, sooner than the thread below.
            return true;
        }
        return woke && !state.confirmedSince(wokeNanos) && now - wokeNanos < PATIENCE.toNanos();
    }

    private void tick() {
        do {
            long now = System.nanoTime();
            Duration gap = Duration.ofNanos(now - lastTickNanos);
            if (gap.compareTo(LIMIT) > 0) {
                LOG.warn("This process was stopped for {} s", gap.toSeconds());
                wokeNanos = now;
                woke = true;
            }
            lastTickNanos = now;
        } while (!closing.within(TICK));
    }

    @Override
    public void close() {
        closing.begin();
    }
}
