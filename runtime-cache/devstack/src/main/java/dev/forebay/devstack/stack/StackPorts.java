package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.server.Ports;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

/**
 * Where everything listens on 127.0.0.1. A port keeps its number for the life of the object, so
 * that what is restarted comes back where it was.
 */
public final class StackPorts {
    /** The first port of a stack nobody chose ports for. */
    public static final int DEFAULT_BASE = 7700;

    private static final int FIRST_REGION = 20;
    private static final int PER_REGION = 10;

    private final int base;
    private final Map<String, Integer> given = new LinkedHashMap<>();

    private StackPorts(int base) {
        this.base = base;
    }

    /** Any free ports. */
    public static StackPorts free() {
        return new StackPorts(0);
    }

    /** The ports from {@code base} on, 20 and 10 more for each region. */
    public static StackPorts from(int base) {
        if (base < 1024 || base > 65_000) {
            throw new DevstackException(
                    "FOREBAY_PORT_BASE is %d: it must be from 1024 to 65000".formatted(base));
        }
        return new StackPorts(base);
    }

    int api() {
        return port("api", () -> base);
    }

    int temporal() {
        return port("temporal", () -> base + 1);
    }

    int temporalUi() {
        return port("temporal-ui", () -> base + 2);
    }

    int temporalHttp() {
        return port("temporal-http", () -> base + 3);
    }

    int temporalMetrics() {
        return port("temporal-metrics", () -> base + 4);
    }

    int postgres() {
        return port("postgres", () -> base + 5);
    }

    int lake() {
        return port("lake", () -> base + 6);
    }

    int etcd(int region) {
        return port("etcd-" + region, () -> first(region));
    }

    int etcdPeer(int region) {
        return port("etcd-peer-" + region, () -> first(region) + 1);
    }

    int agent(int region) {
        return port("agent-" + region, () -> first(region) + 2);
    }

    int fuseMetrics(int region) {
        return port("fuse-metrics-" + region, () -> first(region) + 3);
    }

    int worker(int region, int worker) {
        return port("worker-%d-%d".formatted(region, worker), () -> first(region) + 4 + worker);
    }

    private int first(int region) {
        return base + FIRST_REGION + PER_REGION * region;
    }

    /**
     * Checks that every port a stack will listen on is free.
     *
     * @throws DevstackException naming the ports, who holds them, and how to choose others
     */
    void requireFree(List<String> regions, int workersPerRegion) {
        if (base == 0) {
            return;
        }
        List<String> busy =
                all(regions, workersPerRegion).entrySet().stream()
                        .filter(entry -> !Ports.isFree(entry.getValue()))
                        .map(entry -> describe(entry.getKey(), entry.getValue()))
                        .toList();
        if (!busy.isEmpty()) {
            throw new DevstackException(
                    """
                    %s
                    Stop what holds it, or choose other ports: FOREBAY_PORT_BASE=%d (now %d; a stack\
                     takes %d ports from there on)."""
                            .formatted(
                                    String.join("\n", busy),
                                    base + 1000,
                                    base,
                                    FIRST_REGION + PER_REGION * regions.size()));
        }
    }

    private Map<String, Integer> all(List<String> regions, int workersPerRegion) {
        Map<String, Integer> all = new LinkedHashMap<>();
        all.put("the control plane", api());
        all.put("Temporal", temporal());
        all.put("Temporal's Web UI", temporalUi());
        all.put("Temporal's HTTP API", temporalHttp());
        all.put("Temporal's metrics", temporalMetrics());
        all.put("PostgreSQL", postgres());
        all.put("the lake", lake());
        for (int region = 0; region < regions.size(); region++) {
            String name = regions.get(region);
            all.put("etcd of " + name, etcd(region));
            all.put("etcd's peers of " + name, etcdPeer(region));
            all.put("the agent of " + name, agent(region));
            all.put("FUSE metrics of " + name, fuseMetrics(region));
            for (int worker = 0; worker < workersPerRegion; worker++) {
                all.put("worker %d of %s".formatted(worker, name), worker(region, worker));
            }
        }
        return all;
    }

    private static String describe(String use, int port) {
        return "Port %d, for %s, is in use%s."
                .formatted(port, use, PortHolder.of(port).map(who -> " by " + who).orElse(""));
    }

    private synchronized int port(String use, IntSupplier fixed) {
        return given.computeIfAbsent(use, absent -> base == 0 ? Ports.free() : fixed.getAsInt());
    }
}
