package dev.forebay.control.figures;

import dev.forebay.thread.CatchAll;
import dev.forebay.thread.PeriodicTask;
import jakarta.inject.Singleton;
import java.util.List;
import org.jboss.logging.Logger;

/**
 * Publishes metrics from the catalogue, the ledger and the regions' pins at regular intervals.
 * Every control plane publishes the same values. A part that cannot be read shows no values instead
 * of outdated ones.
 */
@Singleton
public class MetricsPublisher {

    private static final Logger LOG = Logger.getLogger(MetricsPublisher.class);

    /** A group of metrics that are read together. Not thread-safe. */
    interface Part {

        /** Reads the values and publishes them. */
        void read();

        /** Publishes no values. */
        void forget();
    }

    private final List<Part> parts;
    private final PeriodicTask task;

    MetricsPublisher(
            VersionFigures versions, PinFigures pins, LedgerFigures ledger, FiguresConfig config) {
        this.parts = List.of(versions, pins, ledger);
        this.task =
                new PeriodicTask(
                        Thread.ofPlatform().daemon().name("figures"),
                        config.interval(),
                        "Cannot read the metrics of the catalogue",
                        this::read);
    }

    /** Starts reading at the configured interval, until {@link #stop}. */
    public void start() {
        task.start();
    }

    public void stop() {
        task.interrupt();
    }

    private void read() {
        for (Part part : parts) {
            // The last values must not stay published.
            boolean _ =
                    CatchAll.run(
                            part::read,
                            e -> {
                                part.forget();
                                LOG.debugf(
                                        e,
                                        "Some metrics of the catalogue are unknown at the "
                                                + "moment");
                            });
        }
    }
}
