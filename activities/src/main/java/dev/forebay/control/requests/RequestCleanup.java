package dev.forebay.control.requests;

import dev.forebay.control.catalogue.VersionLookup;
import dev.forebay.control.catalogue.requests.RequestLog;
import dev.forebay.control.config.ControlPlaneConfig;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/** Deletes requests that are older than their retention, a bounded number every hour. */
@Singleton
public class RequestCleanup {

    private static final Logger LOG = Logger.getLogger(RequestCleanup.class);

    private static final int BATCH = 10_000;
    private static final int MOST_BATCHES = 100;

    private final RequestLog requests;
    private final VersionLookup lookup;
    private final Duration retention;
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("request-janitor").factory());

    RequestCleanup(RequestLog requests, VersionLookup lookup, ControlPlaneConfig config) {
        this.requests = requests;
        this.lookup = lookup;
        this.retention = config.requests().retention();
    }

    public void start() {
        var _ = clock.scheduleWithFixedDelay(this::clean, 1, 60, TimeUnit.MINUTES);
    }

    public void stop() {
        clock.shutdownNow();
    }

    private void clean() {
        try {
            Instant before = Instant.now().minus(retention);
            for (int batch = 0; batch < MOST_BATCHES; batch++) {
                int forgotten =
                        Math.max(requests.forget(before, BATCH), lookup.forget(before, BATCH));
                if (forgotten < BATCH) {
                    return;
                }
            }
        } catch (RuntimeException | Error e) {
            LOG.warnf("Old requests stay for another hour: %s", e.getMessage());
        }
    }
}
