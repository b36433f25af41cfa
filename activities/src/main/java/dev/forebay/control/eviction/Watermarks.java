package dev.forebay.control.eviction;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;

/**
 * The watermarks of a region's chunk stores, as fractions of their capacity.
 *
 * @param high above it, a sweep evicts unpinned copies; 1 disables this
 * @param low the sweep evicts until no more than this is used
 */
public record Watermarks(double high, double low) {

    /**
     * @throws ForebayException {@code INVALID_ARGUMENT} unless 0 &lt; low &lt;= high &lt;= 1
     */
    public Watermarks {
        if (!(high > 0 && high <= 1)) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "forebay.sweep.high-watermark is %s and must be more than 0 and at most 1"
                            .formatted(high));
        }
        if (!(low > 0 && low <= high)) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "forebay.sweep.low-watermark is %s and must be more than 0 and at most forebay.sweep.high-watermark, %s"
                            .formatted(low, high));
        }
    }
}
