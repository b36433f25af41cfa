package dev.forebay.agent;

import dev.forebay.membership.RegionView;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** What the region's etcd says of its workers, {@code forebay_agent_*}, asked at each scrape. */
final class RegionGauges {

    private static final String PREFIX = "forebay.agent.";

    private RegionGauges() {}

    /**
     * Shows them from now on.
     *
     * @param view the last known one
     * @param connected whether it is current
     */
    static void show(Supplier<RegionView> view, BooleanSupplier connected, MeterRegistry registry) {
        Gauge.builder(PREFIX + "etcd.connected", () -> connected.getAsBoolean() ? 1 : 0)
                .description("Whether the region's etcd is followed")
                .strongReference(true)
                .register(registry);
        Gauge.builder(PREFIX + "etcd.rows.not.understood", () -> notUnderstood(view.get()))
                .description("Rows of the region's etcd that a later release wrote")
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
                .description("Workers that have a place in the region, by whether they are there")
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
