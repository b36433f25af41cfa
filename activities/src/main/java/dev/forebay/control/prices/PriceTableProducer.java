package dev.forebay.control.prices;

import dev.forebay.control.config.ControlPlaneConfig;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Produces the price table of this installation. */
@Singleton
class PriceTableProducer {

    @Produces
    @Singleton
    PriceTable prices(PricesConfig config, ControlPlaneConfig controlPlane) {
        return PriceTable.of(config, controlPlane.regions().keySet());
    }
}
