package dev.forebay.placement;

import java.net.URI;

/**
 * A cache worker as registered in its region's etcd.
 *
 * @param id stable across restarts, kept with the store
 * @param address base URI of its HTTP server
 * @param capacityBytes how many bytes of whole chunks its store can hold, and its weight in
 *     placement; 0 while the worker drains
 */
public record WorkerNode(String id, URI address, long capacityBytes) {

    /**
     * Returns whether the worker is leaving. A draining worker owns no chunks, but still serves
     * those on its disks.
     */
    public boolean draining() {
        return capacityBytes == 0;
    }

    /** Returns the same worker as draining. */
    public WorkerNode drained() {
        return new WorkerNode(id, address, 0);
    }
}
