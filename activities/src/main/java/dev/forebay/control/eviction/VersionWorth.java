package dev.forebay.control.eviction;

import dev.forebay.control.prices.Prices;
import dev.forebay.model.DatasetVersion;
import dev.forebay.service.space.EvictionCandidate.Value;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Computes the worth of versions in a region: their expected uses × the cost of filling them again.
 *
 * @param prices null if no price is configured; the cost is then the number of bytes
 * @param requests how often clients requested versions, where each half-life halves a request
 */
public record VersionWorth(@Nullable Prices prices, Map<DatasetVersion, Double> requests) {

    /** The age at which a use has half its weight in the expected number of uses. */
    static final Duration HALF_LIFE = Duration.ofDays(7);

    /**
     * Returns the value of a version. The last use counts like a request, because jobs also read
     * versions without later requests.
     *
     * @param bytes the size of its files
     * @param objects the number of its files
     * @param unused the time since its last use; null if that is not known
     */
    public Value of(DatasetVersion version, long bytes, long objects, @Nullable Duration unused) {
        double lastUse =
                unused == null
                        ? 0
                        : Math.pow(
                                0.5,
                                Math.max(0, unused.toMillis()) / (double) HALF_LIFE.toMillis());
        double uses = Math.max(lastUse, requests.getOrDefault(version, 0.0));
        BigDecimal cost =
                prices == null ? null : prices.lakeBytes(bytes).add(prices.lakeRequests(objects));
        return new Value(uses, cost, uses * (cost == null ? bytes : cost.doubleValue()));
    }
}
