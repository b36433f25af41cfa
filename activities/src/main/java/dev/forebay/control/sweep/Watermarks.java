package dev.forebay.control.sweep;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;

/**
 * How full a region's chunk stores may be, as parts of their capacity.
 *
 * @param high above it copies go that nobody holds; with 1 none ever does for that
 * @param low until no more than that is used
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
