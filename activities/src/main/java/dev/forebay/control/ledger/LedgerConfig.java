package dev.forebay.control.ledger;

import dev.forebay.settings.InRange;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;

/** The settings of the ledger. */
@ConfigMapping(prefix = "forebay.ledger")
public interface LedgerConfig {

    /** The interval at which the ledger reads the accounts of workers. */
    @WithDefault("1M")
    @InRange(min = "1s")
    Duration interval();

    /**
     * How long the ledger keeps the sums of days, and accounts that no worker reports any more. At
     * least two months: budgets are of a month.
     */
    @WithDefault("400D")
    @InRange(min = "62d")
    Duration retention();

    /**
     * The monthly budget of each namespace, by its name. When it is spent, speculative prewarming
     * waits.
     */
    Map<String, BigDecimal> budgets();
}
