package dev.forebay.lifecycle;

import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.Filling;
import dev.forebay.workflows.message.Residency.State;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The average speed of a region's fill since it began, and the time it still needs at that speed.
 */
public record FillEstimate(long bytesPerSecond, Duration left) {

    /** Averages over a shorter time mean nothing. */
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    /** Fewer bytes show how a fill begins, not its steady speed. */
    private static final long ENOUGH_BYTES = 8 << 20;

    /**
     * One part in this many of the bytes missing at the beginning is enough for an average, too.
     */
    private static final int ENOUGH_PARTS = 10;

    private static final double MILLIS = 1_000;

    /**
     * Returns the pace of a fill.
     *
     * @param bytesCached the bytes present now, if the caller knows a later number than {@code
     *     residency}
     * @return empty if no fill is running there, or if it has filled too little yet
     */
    public static Optional<FillEstimate> of(
            Residency residency, @Nullable ManifestRef manifest, long bytesCached, Instant now) {
        Filling filling = residency.filling();
        if (filling == null || manifest == null || residency.state() != State.WARMING) {
            return Optional.empty();
        }
        Duration taken = Duration.between(filling.since(), now);
        long filled = bytesCached - filling.bytes();
        long rate = (long) (filled * MILLIS / Math.max(1, taken.toMillis()));
        long wanted = manifest.bytes() - filling.bytes();
        boolean isLittle = filled < ENOUGH_BYTES && filled < wanted / ENOUGH_PARTS;
        if (taken.compareTo(SHORTEST) < 0 || rate < 1 || isLittle) {
            return Optional.empty();
        }
        long missing = Math.max(0, manifest.bytes() - bytesCached);
        return Optional.of(new FillEstimate(rate, Duration.ofSeconds(Math.ceilDiv(missing, rate))));
    }
}
