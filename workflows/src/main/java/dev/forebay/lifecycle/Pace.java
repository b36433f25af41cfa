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
 * How fast a region is filled, on the average since its filling began, and how long it will take on
 * at that pace.
 */
public record Pace(long bytesPerSecond, Duration left) {

    /** Sooner an average says nothing. */
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    /** Less says something of how a filling begins, not of how it goes on. */
    private static final long ENOUGH_BYTES = 8 << 20;

    /** Of what was missing when the filling began, in parts: that much is enough, too. */
    private static final int ENOUGH_PARTS = 10;

    private static final double MILLIS = 1_000;

    /**
     * The pace of a filling.
     *
     * @param bytesCached what is there now, if something more recent is known than {@code
     *     residency}
     * @return empty if nothing is filled there, or too little yet
     */
    public static Optional<Pace> of(
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
        return Optional.of(new Pace(rate, Duration.ofSeconds(Math.ceilDiv(missing, rate))));
    }
}
