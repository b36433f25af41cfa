package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.server.EphemeralPorts;
import dev.forebay.devstack.server.Ports;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The ports of a stack on 127.0.0.1. This object never changes a port, so a server that restarts
 * listens on the same one.
 */
public final class StackPorts {
    /** The first port of a stack unless the user chooses another. */
    public static final int DEFAULT_BASE = 7700;

    /** Only root may listen on lower ports. */
    public static final int LOWEST_BASE = 1024;

    private static final int HIGHEST_BASE = 65_000;
    private static final int HIGHEST_PORT = 65_535;
    private static final int NEXT_BASE = 1000;
    private static final int FIRST_REGION = 20;
    private static final int PER_REGION = 10;
    private static final int DESCRIBED = 3;

    /** A killed process that is still ending holds its port, although /proc does not show it. */
    private static final Duration LET_GO_WITHIN = Duration.ofSeconds(10);

    private static final Duration POLL = Duration.ofMillis(50);

    private final int base;
    private final Map<String, Integer> given = new LinkedHashMap<>();

    private StackPorts(int base) {
        this.base = base;
    }

    /** Returns free ports. */
    public static StackPorts free() {
        return new StackPorts(0);
    }

    /** Returns the ports from {@code base} on: 20, and 10 more for each region. */
    public static StackPorts from(int base) {
        if (base < LOWEST_BASE || base > HIGHEST_BASE) {
            throw new DevstackException(
                    "The first port is %d: it must be from %d to %d"
                            .formatted(base, LOWEST_BASE, HIGHEST_BASE));
        }
        return new StackPorts(base);
    }

    /** Returns the highest base that leaves enough ports for so many regions. */
    public static int highestBase(int regions) {
        return Math.min(HIGHEST_BASE, HIGHEST_PORT + 1 - count(regions));
    }

    /** Returns the port of the REST API. */
    public int api() {
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

    /** Returns the port of a region's agent, by the index of the region. */
    public int agent(int region) {
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
     * Checks that all ports of a stack are free. Waits up to 10 s for ports that no visible process
     * holds.
     *
     * @throws DevstackException naming the ports, the processes that hold them, and how to choose
     *     others
     */
    void requireFree(List<String> regions, int workersPerRegion) {
        if (base == 0) {
            return;
        }
        Map<String, Integer> busy = all(regions, workersPerRegion);
        awaitLetGo(busy);
        if (!busy.isEmpty()) {
            throw new DevstackException(
                    """
                    %s
                    Stop what holds it, or choose other ports: FOREBAY_PORT_BASE=%d (now %d; a stack\
                     takes %d ports from there on)."""
                            .formatted(
                                    describe(busy),
                                    anotherBase(EphemeralPorts.ofThisMachine(), regions.size()),
                                    base,
                                    count(regions.size())));
        }
    }

    private static void awaitLetGo(Map<String, Integer> busy) {
        long deadline = System.nanoTime() + LET_GO_WITHIN.toNanos();
        busy.values().removeIf(Ports::isFree);
        try {
            while (!busy.isEmpty()
                    && busy.values().stream().allMatch(port -> PortHolder.of(port).isEmpty())
                    && System.nanoTime() - deadline < 0) {
                Thread.sleep(POLL);
                busy.values().removeIf(Ports::isFree);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Returns a warning if outgoing connections of this machine may take the ports of a stack:
     * before {@link #requireFree} checks them, or between the check and the start of the servers.
     */
    Optional<String> warning(EphemeralPorts ephemeral, int regions) {
        if (base == 0 || outside(ephemeral, base, regions)) {
            return Optional.empty();
        }
        int last = base + count(regions) - 1;
        return Optional.of(
                """
                Outgoing connections of this machine get ports from %d to %d, so one of them can\
                 take a port of this stack (%d to %d) before its server does. If that happens start\
                 again, choose other ports (FOREBAY_PORT_BASE=%d), or keep these free: sysctl -w\
                 net.ipv4.ip_local_reserved_ports=%d-%d"""
                        .formatted(
                                ephemeral.first(),
                                ephemeral.last(),
                                base,
                                last,
                                anotherBase(ephemeral, regions),
                                base,
                                last));
    }

    /**
     * Returns a base whose ports are free and, if possible, outside the range for outgoing
     * connections.
     */
    private int anotherBase(EphemeralPorts ephemeral, int regions) {
        int bases = HIGHEST_BASE - LOWEST_BASE + 1;
        int[] others =
                IntStream.iterate(NEXT_BASE, step -> step < bases, step -> step + NEXT_BASE)
                        .map(step -> LOWEST_BASE + (base - LOWEST_BASE + step) % bases)
                        .filter(other -> allFree(other, regions))
                        .toArray();
        return IntStream.of(others)
                .filter(other -> outside(ephemeral, other, regions))
                .findFirst()
                .orElse(others.length > 0 ? others[0] : DEFAULT_BASE);
    }

    private static boolean outside(EphemeralPorts ephemeral, int base, int regions) {
        return IntStream.range(base, base + count(regions)).noneMatch(ephemeral::contains);
    }

    private static boolean allFree(int base, int regions) {
        return IntStream.range(base, base + count(regions)).allMatch(Ports::isFree);
    }

    private static int count(int regions) {
        return FIRST_REGION + PER_REGION * regions;
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

    /** Describes only the first few ports, which is enough to recognise another stack. */
    private static String describe(Map<String, Integer> busy) {
        String first =
                busy.entrySet().stream()
                        .limit(DESCRIBED)
                        .map(entry -> describe(entry.getKey(), entry.getValue()))
                        .collect(Collectors.joining("\n"));
        int more = busy.size() - DESCRIBED;
        return more > 0 ? "%s\nAnd %d more.".formatted(first, more) : first;
    }

    private static String describe(String use, int port) {
        return "Port %d, for %s, is in use%s."
                .formatted(port, use, PortHolder.of(port).map(who -> " by " + who).orElse(""));
    }

    private synchronized int port(String use, IntSupplier fixed) {
        return given.computeIfAbsent(use, absent -> base == 0 ? Ports.free() : fixed.getAsInt());
    }
}
