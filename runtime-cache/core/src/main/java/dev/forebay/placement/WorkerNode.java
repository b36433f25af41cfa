package dev.forebay.placement;

import java.net.URI;

/**
 * A cache worker as its region's etcd knows it.
 *
 * @param id stable over restarts, kept with the store
 * @param address base URI of its HTTP server
 * @param capacityBytes size of its chunk store, the weight of the worker in placement; 0 while it
 *     hands its chunks to others before it leaves
 */
public record WorkerNode(String id, URI address, long capacityBytes) {

    /** Whether the worker is on its way out: it owns nothing any more, and serves what it has. */
    public boolean draining() {
        return capacityBytes == 0;
    }

    /** The same worker on its way out. */
    public WorkerNode drained() {
        return new WorkerNode(id, address, 0);
    }
}
