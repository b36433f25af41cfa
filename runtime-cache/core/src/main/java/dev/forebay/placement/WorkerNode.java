package dev.forebay.placement;

import java.net.URI;

/**
 * A cache worker as its region's etcd knows it.
 *
 * @param id stable over restarts, kept with the store
 * @param address base URI of its HTTP server
 * @param capacityBytes size of its chunk store, the weight of the worker in placement
 */
public record WorkerNode(String id, URI address, long capacityBytes) {}
