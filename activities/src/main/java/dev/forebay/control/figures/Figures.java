package dev.forebay.control.figures;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Publishes metrics from the catalogue, the ledger and the regions' pins at regular intervals.
 * Every control plane publishes the same values. A part that cannot be read shows no values instead
 * of outdated ones.
 */
@Singleton
public class Figures {

    private static final Logger LOG = Logger.getLogger(Figures.class);

    /** A group of metrics that are read together. Not thread-safe. */
    interface Part {

        /** Reads the values and publishes them. */
        void look();

        /** Publishes no values. */
        void forget();
    }

    private final List<Part> parts;
    private final Duration interval;
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("figures").factory());

    Figures(VersionFigures versions, PinFigures pins, LedgerFigures ledger, FiguresConfig config) {
        this.parts = List.of(versions, pins, ledger);
        this.interval = config.interval();
    }

    /** Starts reading at the configured interval, until {@link #stop}. */
    public void start() {
        long millis = interval.toMillis();
        var _ = clock.scheduleWithFixedDelay(this::look, 0, millis, TimeUnit.MILLISECONDS);
    }

    public void stop() {
        clock.shutdownNow();
    }

    private void look() {
        for (Part part : parts) {
            try {
                part.look();
            } catch (RuntimeException | Error e) {
                // Catches an Error, too: it would end the schedule, and the last values would stay
                // published.
                LOG.debugf(e, "Some figures are not known at the moment");
                part.forget();
            }
        }
    }
}
