package dev.forebay.model;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/** Formats durations for errors and logs. */
public final class Seconds {

    private static final int MILLIS = 3;

    private Seconds() {}

    /**
     * Returns the duration in seconds, rounded to a millisecond, such as {@code 30 s} or {@code
     * 0.05 s}.
     */
    public static String of(Duration duration) {
        BigDecimal seconds =
                BigDecimal.valueOf(duration.getSeconds())
                        .add(BigDecimal.valueOf(duration.getNano(), 9))
                        .setScale(MILLIS, RoundingMode.HALF_UP);
        return seconds.stripTrailingZeros().toPlainString() + " s";
    }
}
