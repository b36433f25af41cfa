package dev.forebay.control.prices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PriceTableTest {

    private static final List<String> KNOWN = List.of("eu-1", "us-east-1");

    @Test
    void unstatedPricesAreZero() {
        PriceTable table = table(Map.of());

        assertThat(table.currency()).isEqualTo("USD");
        assertThat(table.isStated()).isFalse();
        assertThat(table.of(new RegionName("eu-1")).lakeBytes(Long.MAX_VALUE)).isZero();
    }

    @Test
    void aRegionOverridesOnlyThePricesItStates() {
        PriceTable table =
                table(
                        Map.of(
                                "forebay.prices.currency", "EUR",
                                "forebay.prices.lake-gb", "0.09",
                                "forebay.prices.lake-requests", "0.0004",
                                "forebay.prices.regions.\"us-east-1\".lake-gb", "0.02"));

        assertThat(table.currency()).isEqualTo("EUR");
        assertThat(table.isStated()).isTrue();
        assertThat(table.of(new RegionName("eu-1")).lakeGb()).isEqualByComparingTo("0.09");
        Prices there = table.of(new RegionName("us-east-1"));
        assertThat(there.lakeGb()).isEqualByComparingTo("0.02");
        assertThat(there.thousandLakeRequests()).isEqualByComparingTo("0.0004");
        assertThat(there.siblingGb()).isZero();
    }

    @Test
    void pricesUseDecimalGigabytesWithoutRounding() {
        Prices prices =
                table(
                                Map.of(
                                        "forebay.prices.lake-gb", "0.09",
                                        "forebay.prices.sibling-gb", "0.02",
                                        "forebay.prices.on-premises-gb", "0.01",
                                        "forebay.prices.lake-requests", "0.0004",
                                        "forebay.prices.nvme-gb-hour", "0.0001"))
                        .of(new RegionName("eu-1"));

        assertThat(prices.lakeBytes(1_500_000_000)).isEqualByComparingTo("0.135");
        assertThat(prices.lakeBytes(1)).isEqualByComparingTo("0.00000000009");
        assertThat(prices.siblingBytes(1_000_000_000)).isEqualByComparingTo("0.02");
        assertThat(prices.onPremisesBytes(1_000_000_000)).isEqualByComparingTo("0.01");
        assertThat(prices.lakeRequests(1)).isEqualByComparingTo("0.0000004");
        assertThat(prices.nvme(new BigDecimal("24"))).isEqualByComparingTo("0.0024");
    }

    @ParameterizedTest
    @CsvSource({
        "forebay.prices.lake-gb, -0.01, forebay.prices.lake-gb '-0.01' must be from 0 to 1000000",
        "forebay.prices.nvme-gb-hour, 1e7, forebay.prices.nvme-gb-hour '10000000' must be from 0 to 1000000",
        "forebay.prices.currency, euro, forebay.prices.currency 'euro' must be three letters A-Z",
        "forebay.prices.regions.eu-1.sibling-gb, -1, forebay.prices.regions.eu-1.sibling-gb '-1' must be from 0 to 1000000",
        "forebay.prices.regions.mars.lake-gb, 1, 'forebay.prices.regions ''mars'' is not a "
                + "region of this installation, which has eu-1, us-east-1'",
    })
    void anInvalidPriceSettingIsRefused(String name, String value, String message) {
        assertThatThrownBy(() -> table(Map.of(name, value)))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessage(message);
    }

    private static PriceTable table(Map<String, String> settings) {
        PricesConfig config =
                new SmallRyeConfigBuilder()
                        .withMapping(PricesConfig.class)
                        .withDefaultValues(settings)
                        .build()
                        .getConfigMapping(PricesConfig.class);
        return PriceTable.of(config, KNOWN);
    }
}
