package dev.forebay.control.figures;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Looks in regular intervals at what the catalogue, the ledger and the regions' pins say, and shows
 * it as metrics. Every control plane shows the same. What cannot be asked for is not shown, rather
 * than as it was before.
 */
@Singleton
public class Figures {

    private static final Logger LOG = Logger.getLogger(Figures.class);

    /** Metrics that are found together, or not at all. For one thread. */
    interface Part {

        /** Looks, and shows what it finds from now on. */
        void look();

        /** Shows nothing from now on. */
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

    /** Looks whenever the interval has passed, until stopped. */
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
                // An Error, too: else it would be the last look, and what it has found would stay.
                LOG.debugf(e, "Some figures are not known at the moment");
                part.forget();
            }
        }
    }
}
