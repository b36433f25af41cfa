package dev.forebay.control.prices;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithParentName;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of the price table. A price without a setting is 0. A region without one uses the
 * price for all regions.
 */
@ConfigMapping(prefix = "forebay.prices")
public interface PricesConfig {

    /** The currency of all prices: three letters of ISO 4217. */
    @WithDefault("USD")
    String currency();

    /** The prices in regions without prices of their own. */
    @WithParentName
    Stated everywhere();

    /** The prices of single regions, by region name. */
    Map<String, Stated> regions();

    /** The prices that the settings state. */
    interface Stated {

        /** The price of 10⁹ bytes that a region reads from the lake. */
        Optional<BigDecimal> lakeGb();

        /** The price of 10⁹ bytes that a region reads from another region. */
        Optional<BigDecimal> siblingGb();

        /** The price of 10⁹ bytes that a region reads from an on-premises site. */
        Optional<BigDecimal> onPremisesGb();

        /** The price of a thousand requests to the lake. */
        Optional<BigDecimal> lakeRequests();

        /** The price of 10⁹ bytes on a worker's disk for an hour. */
        Optional<BigDecimal> nvmeGbHour();
    }
}
