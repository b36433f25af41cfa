package dev.forebay.control.figures;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;

/**
 * The gauges {@code forebay_control_*} of one name: one value for each region, or several that
 * another tag distinguishes. Callers put in values and then show them in place of the earlier ones.
 * Not thread-safe.
 */
final class GaugeFamily {

    private final MultiGauge gauge;
    private List<Row<?>> found = new ArrayList<>();

    GaugeFamily(MeterRegistry registry, String name, String description) {
        this.gauge =
                MultiGauge.builder("forebay.control." + name)
                        .description(description)
                        .register(registry);
    }

    void put(String region, Number value) {
        found.add(Row.of(Tags.of("region", region), value));
    }

    void put(String region, String tag, String tagValue, Number value) {
        found.add(Row.of(Tags.of("region", region, tag, tagValue), value));
    }

    /** Publishes the values that were put in since the last call, and no others. */
    void show() {
        gauge.register(found, true);
        found = new ArrayList<>();
    }

    /** Publishes no values, and discards those that were put in. */
    void forget() {
        found = new ArrayList<>();
        show();
    }
}
