package dev.forebay.service.gateway;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An agent's report on its region.
 *
 * @param etcdReachable whether the region's etcd answers the agent
 * @param workers the workers last known from etcd; empty if it never answered
 */
public record RegionReport(
        String name, String mountRoot, boolean etcdReachable, List<WorkerReport> workers) {

    /**
     * A registered cache worker.
     *
     * @param live whether its lease is alive
     * @param usedBytes how much of its capacity is in use; empty if it does not answer
     */
    public record WorkerReport(
            String id, URI address, boolean live, long capacityBytes, @Nullable Long usedBytes) {}
}
