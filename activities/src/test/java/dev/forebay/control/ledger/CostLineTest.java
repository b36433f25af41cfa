package dev.forebay.control.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.control.catalogue.reports.LedgerCatalogue.Sum;
import dev.forebay.control.prices.Prices;
import dev.forebay.model.RegionName;
import java.math.BigDecimal;
import org.junit.jupiter.api.Test;

class CostLineTest {

    private static final Prices PRICES =
            new Prices(
                    new BigDecimal("0.1"),
                    new BigDecimal("0.02"),
                    new BigDecimal("0.001"),
                    new BigDecimal("0.4"),
                    new BigDecimal("0.01"));

    @Test
    void theCostWithoutTheCacheChargesReadersForTheLake() {
        CostLine line = CostLine.of(sum(10, 4_000_000_000L, 100, 1_000_000_000L), PRICES);

        assertThat(line.readerRequests()).isEqualTo(100);
        assertThat(line.readerBytes()).isEqualTo(1_000_000_000L);
        assertThat(line.withoutCache()).isEqualByComparingTo("0.14");
    }

    @Test
    void linesOfSeveralRegionsAddUp() {
        CostLine one = CostLine.of(sum(0, 0, 0, 0), PRICES);

        CostLine both = one.plus(one);

        assertThat(one.siblings()).isEqualByComparingTo("0.043");
        assertThat(one.spent()).isEqualByComparingTo("0.253");
        assertThat(both.spent()).isEqualByComparingTo("0.506");
        assertThat(both.siblingRequests()).isEqualTo(8);
        assertThat(both.onPremisesBytes()).isEqualTo(6_000_000_000L);
        assertThat(both.saved()).isEqualByComparingTo("-0.506");
        assertThat(both.nvmeGbHours()).isEqualByComparingTo("2");
        assertThat(both.evictions()).isEqualTo(2);
    }

    /**
     * Costs 0.1 for 1 GB and 0.1 for 250 requests from the lake. Adds 0.04 for 2 GB from a region,
     * 0.003 for 3 GB from a site, and 0.01 for 1 GB hour.
     */
    private static Sum sum(long peerRequests, long peerBytes, long served, long servedBytes) {
        return new Sum(
                "team/digits",
                new RegionName("us-1"),
                250,
                1_000_000_000L,
                peerRequests,
                peerBytes,
                4,
                2_000_000_000L,
                1,
                3_000_000_000L,
                served,
                servedBytes,
                3_600e9,
                1);
    }
}
