package dev.forebay.control.figures;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.List;

/** A gauge {@code forebay_control_*} with the values that were found last, one for each tag. */
final class Family {

    private final MultiGauge gauge;

    Family(MeterRegistry registry, String name, String description) {
        this.gauge =
                MultiGauge.builder("forebay.control." + name)
                        .description(description)
                        .register(registry);
    }

    /** One value of it. */
    static Row<?> row(Tags tags, Number value) {
        return Row.of(tags, value);
    }

    /** From now on it has these values and no others. */
    void show(List<Row<?>> rows) {
        gauge.register(rows, true);
    }
}
