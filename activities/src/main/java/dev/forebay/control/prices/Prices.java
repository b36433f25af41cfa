package dev.forebay.control.prices;

import java.math.BigDecimal;

/**
 * The prices in one region, each 0 or more, in the currency of the {@link PriceTable}. A GB is 10⁹
 * bytes, as on bills. Bytes that workers of a region copy from each other cost nothing.
 *
 * @param lakeGb the price of a GB read from the lake
 * @param siblingGb the price of a GB read from another cloud region
 * @param onPremisesGb the price of a GB read from an on-premises site
 * @param thousandLakeRequests the price of a thousand requests to the lake
 * @param nvmeGbHour the price of a GB on a worker's disk for an hour
 */
public record Prices(
        BigDecimal lakeGb,
        BigDecimal siblingGb,
        BigDecimal onPremisesGb,
        BigDecimal thousandLakeRequests,
        BigDecimal nvmeGbHour) {

    private static final int GB_DIGITS = 9;
    private static final int THOUSAND_DIGITS = 3;

    /** All prices 0, for settings that state none. */
    static final Prices NONE =
            new Prices(
                    BigDecimal.ZERO,
                    BigDecimal.ZERO,
                    BigDecimal.ZERO,
                    BigDecimal.ZERO,
                    BigDecimal.ZERO);

    /** Returns the exact price of reading bytes from the lake, without the requests. */
    public BigDecimal lakeBytes(long bytes) {
        return lakeGb.multiply(gigabytes(bytes));
    }

    /** Returns the exact price of reading bytes from another cloud region. */
    public BigDecimal siblingBytes(long bytes) {
        return siblingGb.multiply(gigabytes(bytes));
    }

    /** Returns the exact price of reading bytes from an on-premises site. */
    public BigDecimal onPremisesBytes(long bytes) {
        return onPremisesGb.multiply(gigabytes(bytes));
    }

    /** Returns the exact price of requests to the lake. */
    public BigDecimal lakeRequests(long requests) {
        return thousandLakeRequests.multiply(
                BigDecimal.valueOf(requests).movePointLeft(THOUSAND_DIGITS));
    }

    /** Returns the exact price of disk space. */
    public BigDecimal nvme(BigDecimal gbHours) {
        return nvmeGbHour.multiply(gbHours);
    }

    private static BigDecimal gigabytes(long bytes) {
        return BigDecimal.valueOf(bytes).movePointLeft(GB_DIGITS);
    }
}
