package dev.forebay.control.ledger;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;

/** The settings of the ledger. */
@ConfigMapping(prefix = "forebay.ledger")
public interface LedgerConfig {

    /** How often workers are asked what they have counted. */
    @WithDefault("1M")
    Duration interval();

    /** How long closed accounts and the sums of days are kept. */
    @WithDefault("400D")
    Duration retention();

    /** What a namespace may cost in a month before speculative prewarming waits, by its name. */
    Map<String, BigDecimal> budgets();
}
