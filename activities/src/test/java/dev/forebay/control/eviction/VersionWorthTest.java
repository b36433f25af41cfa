package dev.forebay.control.eviction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.forebay.control.prices.Prices;
import dev.forebay.model.DatasetVersion;
import dev.forebay.service.space.EvictionCandidate.Value;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VersionWorthTest {

    private static final DatasetVersion VERSION = DatasetVersion.parse("team/digits@v1");

    @ParameterizedTest
    @CsvSource(
            nullValues = "unknown",
            value = {
                "0, unknown, 0",
                "2.5, unknown, 2.5",
                "0, P0D, 1",
                "0, P7D, 0.5",
                "0, P14D, 0.25",
                // The last use is the latest of these requests.
                "2.5, P0D, 2.5",
                // A job reads what nobody requests again.
                "0.1, P1D, 0.906",
                // The clock of the workflow is ahead.
                "0, PT-1H, 1",
            })
    void usesAreRequestsAndAtLeastTheLastUse(
            double requests, @Nullable Duration unused, double uses) {
        assertThat(value(null, requests, unused).uses()).isCloseTo(uses, within(0.001));
    }

    @Test
    void anEarlierLastUseIsAlwaysWorthLess() {
        double later = Double.MAX_VALUE;
        for (int days = 0; days < 1_000; days++) {
            double total = value(null, 0, Duration.ofDays(days)).total();
            assertThat(total).isPositive().isLessThan(later);
            later = total;
        }
    }

    @Test
    void theValueIsUsesTimesTheCostOfFillingAgain() {
        Prices prices =
                new Prices(
                        new BigDecimal("0.1"),
                        BigDecimal.ZERO,
                        BigDecimal.ZERO,
                        new BigDecimal("0.4"),
                        BigDecimal.ZERO);

        Value priced = value(prices, 3, null);
        Value unpriced = value(null, 3, null);

        // 2 GB at 0.1, and 500 requests at 0.4 per thousand.
        assertThat(priced.refetchCost()).isEqualByComparingTo("0.4");
        assertThat(priced.total()).isCloseTo(1.2, within(1e-9));
        assertThat(unpriced.refetchCost()).isNull();
        assertThat(unpriced.total()).isEqualTo(6e9);
    }

    private static Value value(
            @Nullable Prices prices, double requests, @Nullable Duration unused) {
        return new VersionWorth(prices, Map.of(VERSION, requests))
                .of(VERSION, 2_000_000_000, 500, unused);
    }
}
