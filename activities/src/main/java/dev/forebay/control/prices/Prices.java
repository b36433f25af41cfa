package dev.forebay.control.prices;

import java.math.BigDecimal;

/**
 * What things cost in one region, each 0 or more, in the currency of the {@link PriceTable}. A GB
 * has 10⁹ bytes, as on bills. Bytes that workers of a region take from each other cost nothing.
 *
 * @param lakeGb of a GB that the region reads from the lake
 * @param siblingGb of a GB that it takes from another region
 * @param onPremisesGb of a GB that it takes from an on-premises site
 * @param thousandLakeRequests of a thousand requests to the lake
 * @param nvmeGbHour of a GB on a worker's disk for an hour
 */
public record Prices(
        BigDecimal lakeGb,
        BigDecimal siblingGb,
        BigDecimal onPremisesGb,
        BigDecimal thousandLakeRequests,
        BigDecimal nvmeGbHour) {

    private static final int GB_DIGITS = 9;
    private static final int THOUSAND_DIGITS = 3;

    /** Nothing costs anything, for nobody has stated a price. */
    static final Prices NONE =
            new Prices(
                    BigDecimal.ZERO,
                    BigDecimal.ZERO,
                    BigDecimal.ZERO,
                    BigDecimal.ZERO,
                    BigDecimal.ZERO);

    /** What it costs to read so many bytes from the lake, besides the requests; exact. */
    public BigDecimal lakeBytes(long bytes) {
        return lakeGb.multiply(gigabytes(bytes));
    }

    /** What it costs to take so many bytes from another region; exact. */
    public BigDecimal siblingBytes(long bytes) {
        return siblingGb.multiply(gigabytes(bytes));
    }

    /** What it costs to take so many bytes from an on-premises site; exact. */
    public BigDecimal onPremisesBytes(long bytes) {
        return onPremisesGb.multiply(gigabytes(bytes));
    }

    /** What so many requests to the lake cost; exact. */
    public BigDecimal lakeRequests(long requests) {
        return thousandLakeRequests.multiply(
                BigDecimal.valueOf(requests).movePointLeft(THOUSAND_DIGITS));
    }

    /** What it costs to have so much on disk; exact. */
    public BigDecimal nvme(BigDecimal gbHours) {
        return nvmeGbHour.multiply(gbHours);
    }

    private static BigDecimal gigabytes(long bytes) {
        return BigDecimal.valueOf(bytes).movePointLeft(GB_DIGITS);
    }
}
