package dev.forebay.control.figures;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;

/**
 * A gauge {@code forebay_control_*} that has a value for each region, or several that another tag
 * tells apart. What is found is put in, and shown in the place of what was found before. For one
 * thread.
 */
final class Family {

    private final MultiGauge gauge;
    private List<Row<?>> found = new ArrayList<>();

    Family(MeterRegistry registry, String name, String description) {
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

    /** From now on it has the values that were put in since the last time, and no others. */
    void show() {
        gauge.register(found, true);
        found = new ArrayList<>();
    }

    /** Shows nothing, and what was put in is not shown either. */
    void forget() {
        found = new ArrayList<>();
        show();
    }
}
