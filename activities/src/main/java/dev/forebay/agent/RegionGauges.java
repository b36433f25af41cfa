package dev.forebay.agent;

import dev.forebay.membership.RegionView;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Gauges of the region's etcd and its workers, {@code forebay_agent_*}, read at each scrape of
 * metrics.
 */
final class RegionGauges {

    private static final String PREFIX = "forebay.agent.";

    private RegionGauges() {}

    /**
     * Registers the gauges.
     *
     * @param view returns the last known view
     * @param connected whether that view is current
     */
    static void show(Supplier<RegionView> view, BooleanSupplier connected, MeterRegistry registry) {
        Gauge.builder(PREFIX + "etcd.connected", () -> connected.getAsBoolean() ? 1 : 0)
                .description("1 if this agent receives changes from the region's etcd")
                .strongReference(true)
                .register(registry);
        Gauge.builder(PREFIX + "etcd.rows.not.understood", () -> notUnderstood(view.get()))
                .description(
                        "Rows of the region's etcd that this release cannot read, because a "
                                + "later release wrote them")
                .strongReference(true)
                .register(registry);
        workers("live", view, RegionGauges::live, registry);
        workers("absent", view, region -> region.workers().size() - live(region), registry);
    }

    private static void workers(
            String state,
            Supplier<RegionView> view,
            ToLongFunction<RegionView> count,
            MeterRegistry registry) {
        Gauge.builder(PREFIX + "workers", () -> count.applyAsLong(view.get()))
                .description("Workers that own chunks in the region, by whether they are live")
                .tag("state", state)
                .strongReference(true)
                .register(registry);
    }

    private static int notUnderstood(RegionView region) {
        return region.notUnderstood().size();
    }

    private static long live(RegionView region) {
        return region.workers().stream()
                .filter(worker -> region.live().contains(worker.id()))
                .count();
    }
}
