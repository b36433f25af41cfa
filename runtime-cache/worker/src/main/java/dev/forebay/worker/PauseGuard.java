package dev.forebay.worker;

import dev.forebay.membership.RegionState;
import dev.forebay.thread.PeriodicTask;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects that this process was stopped, by SIGSTOP or a frozen cgroup, for so long that the region
 * may have changed without it. The process is behind until it has read the region's state again.
 *
 * <p>This does not apply when only etcd is down: the last known state then stays in use. The same
 * holds if etcd does not answer within ten seconds after a pause. Safe for use by many threads.
 */
final class PauseGuard implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PauseGuard.class);

    /** Half of the liveness lease: before that, no other process considers this worker dead. */
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private static final Duration TICK = Duration.ofMillis(500);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final RegionState state;

    /** On a platform thread, because a virtual one would have to wait for a free carrier thread. */
    private final PeriodicTask task =
            new PeriodicTask(
                    Thread.ofPlatform().daemon().name("pause-guard"),
                    TICK,
                    "Cannot detect pauses of this process",
                    this::tick);

    private volatile long lastTickNanos = System.nanoTime();
    private volatile long wokeNanos;
    private volatile boolean woke;

    private PauseGuard(RegionState state) {
        this.state = state;
    }

    static PauseGuard start(RegionState state) {
        PauseGuard guard = new PauseGuard(state);
        guard.task.start();
        return guard;
    }

    /**
     * Returns whether this process may be behind the region because it was stopped. Never blocks.
     */
    boolean behind() {
        long now = System.nanoTime();
        if (now - lastTickNanos > LIMIT.toNanos()) {
            // This caller woke up before the thread below.
            return true;
        }
        return woke && !state.confirmedSince(wokeNanos) && now - wokeNanos < TIMEOUT.toNanos();
    }

    private void tick() {
        long now = System.nanoTime();
        Duration gap = Duration.ofNanos(now - lastTickNanos);
        if (gap.compareTo(LIMIT) > 0) {
            LOG.warn(
                    "This process did not run for {} s: check the load and the CPU limit of its node",
                    gap.toSeconds());
            wokeNanos = now;
            woke = true;
        }
        lastTickNanos = now;
    }

    @Override
    public void close() {
        task.close();
    }
}
