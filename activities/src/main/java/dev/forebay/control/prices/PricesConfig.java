package dev.forebay.control.prices;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithParentName;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;

/** The settings of the price table. A price that nobody states is 0. */
@ConfigMapping(prefix = "forebay.prices")
public interface PricesConfig {

    /** What all prices are in: the three letters of a currency in ISO 4217. */
    @WithDefault("USD")
    String currency();

    /** What counts in regions that say nothing else. */
    @WithParentName
    Stated everywhere();

    /** What counts in a region instead, by its name. */
    Map<String, Stated> regions();

    /** The prices that somebody has stated. */
    interface Stated {

        /** Of 10⁹ bytes that a region reads from the lake. */
        Optional<BigDecimal> lakeGb();

        /** Of 10⁹ bytes that a region takes from another region. */
        Optional<BigDecimal> siblingGb();

        /** Of 10⁹ bytes that a region takes from an on-premises site. */
        Optional<BigDecimal> onPremisesGb();

        /** Of a thousand requests to the lake. */
        Optional<BigDecimal> lakeRequests();

        /** Of 10⁹ bytes on a worker's disk for an hour. */
        Optional<BigDecimal> nvmeGbHour();
    }
}
