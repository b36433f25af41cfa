package dev.forebay.worker;

import dev.forebay.membership.RegionState;
import dev.forebay.membership.WorkerRegistration;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import dev.forebay.worker.handover.Drain;
import java.net.URI;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This worker's registration in its region, from {@link #join} to {@link #leave}. Safe for use by
 * many threads.
 */
final class Registration {

    private static final Logger LOG = LoggerFactory.getLogger(Registration.class);

    private final String id;
    private final RegionState state;
    private final LongSupplier capacityBytes;
    private final Function<WorkerRegistration, Drain> drains;
    private volatile @Nullable WorkerRegistration membership;

    // Guarded by this.
    private @Nullable Drain drain;
    private @Nullable URI address;
    private long weight;

    /**
     * @param id this worker's id
     * @param capacityBytes the space for chunks on working disks; 0 if no disk works
     * @param drains creates the drain for a membership
     */
    Registration(
            String id,
            RegionState state,
            LongSupplier capacityBytes,
            Function<WorkerRegistration, Drain> drains) {
        this.id = id;
        this.state = state;
        this.capacityBytes = capacityBytes;
        this.drains = drains;
    }

    /** Registers this worker in the region's etcd and keeps it live until {@link #leave}. */
    synchronized void join(URI reachableAt) {
        address = reachableAt;
        weight = capacityBytes.getAsLong();
        WorkerRegistration joined = state.join(new WorkerNode(id, reachableAt, weight));
        membership = joined;
        drain = drains.apply(joined);
    }

    /**
     * Registers again with the current capacity, or leaves if no disk works. Does nothing if the
     * capacity is unchanged, if the worker drains or has left, or if another process has taken over
     * its id.
     */
    synchronized void updateCapacity() {
        URI known = address;
        if (known == null
                || weight == capacityBytes.getAsLong()
                || superseded()
                || drain().progress().state() != Drain.State.SERVING) {
            return;
        }
        end();
        weight = capacityBytes.getAsLong();
        if (weight > 0) {
            join(known);
        }
    }

    /** Returns whether another process has taken over this worker's id. */
    boolean superseded() {
        WorkerRegistration mine = membership;
        return mine != null && mine.superseded();
    }

    /**
     * Returns whether it is certain that no process considers this worker dead or has taken over
     * its id.
     */
    boolean valid() {
        WorkerRegistration mine = membership;
        return mine != null && mine.valid();
    }

    /**
     * Returns the drain of this worker.
     *
     * @throws ForebayException {@code UNAVAILABLE} before it has joined
     */
    synchronized Drain drain() {
        if (drain == null) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "this worker is not registered in its region yet: retry");
        }
        return drain;
    }

    /** Drains the worker before the process ends, for at most {@code timeout}. 0 disables it. */
    void drainBeforeStop(Duration timeout) throws InterruptedException {
        if (timeout.isPositive()) {
            try {
                Drain.Progress _ = drain().start();
                drain().await(timeout);
            } catch (ForebayException e) {
                LOG.warn("Stopping without handing chunks over: {}", e.getMessage());
            }
        }
    }

    /** Removes this worker from the live workers. It stays registered and keeps its chunks. */
    synchronized void leave() {
        address = null;
        end();
    }

    private synchronized void end() {
        if (drain != null) {
            drain.close();
        }
        WorkerRegistration mine = membership;
        if (mine != null) {
            mine.close();
        }
    }
}
