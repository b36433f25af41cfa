package dev.forebay.control.ledger;

import dev.forebay.control.catalogue.reports.LedgerCatalogue.Sum;
import dev.forebay.control.prices.Prices;
import java.math.BigDecimal;
import java.math.MathContext;

/**
 * The cost of a group, and its cost without the cache: what it would cost to read each byte sent to
 * nodes from the lake, with as many requests. The true cost without any cache is higher, because
 * nodes keep what they have read.
 *
 * @param key the key of the group
 * @param siblingBytes read from other cloud regions
 * @param onPremisesBytes read from on-premises sites
 * @param readerBytes sent to nodes, as {@code readerRequests} ranges
 * @param nvmeGbHours GB (10⁹ bytes) on disk times hours
 * @param siblings the price of the bytes from other regions and on-premises sites
 * @param nvme the price of the GB hours. All prices are exact and in the table's currency
 */
public record CostLine(
        String key,
        long lakeRequests,
        long lakeBytes,
        long peerRequests,
        long peerBytes,
        long siblingRequests,
        long siblingBytes,
        long onPremisesRequests,
        long onPremisesBytes,
        long readerRequests,
        long readerBytes,
        BigDecimal nvmeGbHours,
        long evictions,
        BigDecimal lake,
        BigDecimal siblings,
        BigDecimal requests,
        BigDecimal nvme,
        BigDecimal withoutCache) {

    private static final BigDecimal BYTE_SECONDS_IN_GB_HOUR =
            BigDecimal.valueOf(3_600_000_000_000L);

    /** Returns a line of zeros. */
    public static CostLine nothing(String key) {
        return new CostLine(
                key,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                BigDecimal.ZERO,
                0,
                BigDecimal.ZERO,
                BigDecimal.ZERO,
                BigDecimal.ZERO,
                BigDecimal.ZERO,
                BigDecimal.ZERO);
    }

    /** Returns the cost of a sum in its region, at the region's prices. */
    static CostLine of(Sum sum, Prices prices) {
        BigDecimal gbHours =
                BigDecimal.valueOf(sum.heldByteSeconds())
                        .divide(BYTE_SECONDS_IN_GB_HOUR, MathContext.DECIMAL64);
        return new CostLine(
                sum.key(),
                sum.lakeRequests(),
                sum.lakeBytes(),
                sum.peerRequests(),
                sum.peerBytes(),
                sum.siblingRequests(),
                sum.siblingBytes(),
                sum.onPremisesRequests(),
                sum.onPremisesBytes(),
                sum.servedRequests(),
                sum.servedBytes(),
                gbHours,
                sum.evictions(),
                prices.lakeBytes(sum.lakeBytes()),
                prices.siblingBytes(sum.siblingBytes())
                        .add(prices.onPremisesBytes(sum.onPremisesBytes())),
                prices.lakeRequests(sum.lakeRequests()),
                prices.nvme(gbHours),
                prices.lakeBytes(sum.servedBytes()).add(prices.lakeRequests(sum.servedRequests())));
    }

    CostLine plus(CostLine other) {
        return new CostLine(
                key,
                lakeRequests + other.lakeRequests,
                lakeBytes + other.lakeBytes,
                peerRequests + other.peerRequests,
                peerBytes + other.peerBytes,
                siblingRequests + other.siblingRequests,
                siblingBytes + other.siblingBytes,
                onPremisesRequests + other.onPremisesRequests,
                onPremisesBytes + other.onPremisesBytes,
                readerRequests + other.readerRequests,
                readerBytes + other.readerBytes,
                nvmeGbHours.add(other.nvmeGbHours),
                evictions + other.evictions,
                lake.add(other.lake),
                siblings.add(other.siblings),
                requests.add(other.requests),
                nvme.add(other.nvme),
                withoutCache.add(other.withoutCache));
    }

    /** Returns the cost. */
    public BigDecimal spent() {
        return lake.add(siblings).add(requests).add(nvme);
    }

    /** Returns what the cache saved; negative if it cost more than it saved. */
    public BigDecimal saved() {
        return withoutCache.subtract(spent());
    }
}
