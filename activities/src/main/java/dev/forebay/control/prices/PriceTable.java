package dev.forebay.control.prices;

import dev.forebay.control.prices.PricesConfig.Stated;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The prices of each region.
 *
 * @param currency three letters of ISO 4217
 * @param everywhere the prices in regions that are not in {@code regions}
 */
public record PriceTable(String currency, Prices everywhere, Map<String, Prices> regions) {

    private static final String PREFIX = "forebay.prices.";
    private static final Pattern CURRENCY = Pattern.compile("[A-Z]{3}");

    /** A price above this is probably a missing decimal point. */
    private static final BigDecimal MOST = BigDecimal.valueOf(1_000_000);

    /**
     * Returns the table that the settings state.
     *
     * @param known the regions of this installation
     * @throws ForebayException {@code INVALID_ARGUMENT}, naming the setting, its value and its rule
     */
    static PriceTable of(PricesConfig config, Iterable<String> known) {
        if (!CURRENCY.matcher(config.currency()).matches()) {
            throw invalid("currency", config.currency(), "must be three letters A-Z");
        }
        Prices everywhere = prices("", config.everywhere(), Prices.NONE);
        Map<String, Prices> regions = new TreeMap<>();
        config.regions()
                .forEach(
                        (name, stated) ->
                                regions.put(
                                        name, prices("regions." + name + ".", stated, everywhere)));
        Map<String, Prices> unknown = new TreeMap<>(regions);
        known.forEach(unknown::remove);
        unknown.keySet().stream()
                .findFirst()
                .ifPresent(
                        name -> {
                            throw invalid(
                                    "regions",
                                    name,
                                    "is not a region of this installation, which has "
                                            + String.join(", ", known));
                        });
        return new PriceTable(config.currency(), everywhere, Map.copyOf(regions));
    }

    /** Returns the prices in a region. */
    public Prices of(RegionName region) {
        return regions.getOrDefault(region.value(), everywhere);
    }

    /** Returns whether the settings state any price. If not, all costs are 0 and mean nothing. */
    public boolean isStated() {
        return !everywhere.equals(Prices.NONE) || !regions.isEmpty();
    }

    private static Prices prices(String where, Stated stated, Prices otherwise) {
        return new Prices(
                price(where + "lake-gb", stated.lakeGb(), otherwise.lakeGb()),
                price(where + "sibling-gb", stated.siblingGb(), otherwise.siblingGb()),
                price(where + "on-premises-gb", stated.onPremisesGb(), otherwise.onPremisesGb()),
                price(
                        where + "lake-requests",
                        stated.lakeRequests(),
                        otherwise.thousandLakeRequests()),
                price(where + "nvme-gb-hour", stated.nvmeGbHour(), otherwise.nvmeGbHour()));
    }

    private static BigDecimal price(
            String name, Optional<BigDecimal> stated, BigDecimal otherwise) {
        BigDecimal price = stated.orElse(otherwise);
        if (price.signum() < 0 || price.compareTo(MOST) > 0) {
            throw invalid(name, price.toPlainString(), "must be from 0 to 1000000");
        }
        return price;
    }

    private static ForebayException invalid(String name, String value, String rule) {
        return new ForebayException(
                ErrorCode.INVALID_ARGUMENT, "%s%s '%s' %s".formatted(PREFIX, name, value, rule));
    }
}
