package dev.forebay.worker;

import dev.forebay.membership.Membership;
import dev.forebay.membership.RegionState;
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
 * This worker's place among the workers of its region, from {@link #join} to {@link #leave}. Safe
 * for use by many threads.
 */
final class Registration {

    private static final Logger LOG = LoggerFactory.getLogger(Registration.class);

    private final String id;
    private final RegionState state;
    private final LongSupplier capacityBytes;
    private final Function<Membership, Drain> drains;
    private volatile @Nullable Membership membership;

    // Guarded by this.
    private @Nullable Drain drain;
    private @Nullable URI address;
    private long weight;

    /**
     * @param id this worker's id
     * @param capacityBytes what chunks may take here; 0 if no disk is left
     * @param drains makes what takes a worker with such a place out of the region
     */
    Registration(
            String id,
            RegionState state,
            LongSupplier capacityBytes,
            Function<Membership, Drain> drains) {
        this.id = id;
        this.state = state;
        this.capacityBytes = capacityBytes;
        this.drains = drains;
    }

    /** Says in the region's etcd that this worker is here, for as long as it is. */
    synchronized void join(URI reachableAt) {
        address = reachableAt;
        weight = capacityBytes.getAsLong();
        Membership joined = state.join(new WorkerNode(id, reachableAt, weight));
        membership = joined;
        drain = drains.apply(joined);
    }

    /**
     * Joins anew with the disks that there are now, or leaves if there are none; not if they are as
     * many as before, if it leaves anyway, or another process has become this worker.
     */
    synchronized void weighAnew() {
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

    /** Whether another process has become this worker. */
    boolean superseded() {
        Membership mine = membership;
        return mine != null && mine.superseded();
    }

    /** Whether nobody can have taken this worker for dead, or become it. */
    boolean valid() {
        Membership mine = membership;
        return mine != null && mine.valid();
    }

    /**
     * How this worker leaves for good.
     *
     * @throws ForebayException with {@code UNAVAILABLE} before it has joined
     */
    synchronized Drain drain() {
        if (drain == null) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE, "this worker is not registered in its region yet");
        }
        return drain;
    }

    /** Hands chunks over before the process ends, for as long as is allowed; 0 for not at all. */
    void drainBeforeStop(Duration patience) throws InterruptedException {
        if (patience.isPositive()) {
            try {
                Drain.Progress _ = drain().start();
                drain().await(patience);
            } catch (ForebayException e) {
                LOG.warn("Stops without handing chunks over: {}", e.getMessage());
            }
        }
    }

    /** Leaves the region's live workers; the registered ones it stays among, with its chunks. */
    synchronized void leave() {
        address = null;
        end();
    }

    private synchronized void end() {
        if (drain != null) {
            drain.close();
        }
        Membership mine = membership;
        if (mine != null) {
            mine.close();
        }
    }
}
