package dev.forebay.control.figures;

import dev.forebay.settings.InRange;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** The settings of the metrics that are read from the catalogue. */
@ConfigMapping(prefix = "forebay.figures")
public interface FiguresConfig {

    /**
     * The interval at which the catalogue, the ledger and the regions' pins are read for metrics.
     */
    @WithDefault("30S")
    @InRange(min = "1s")
    Duration interval();
}
