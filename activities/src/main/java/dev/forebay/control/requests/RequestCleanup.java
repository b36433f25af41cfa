package dev.forebay.control.requests;

import dev.forebay.control.catalogue.VersionLookup;
import dev.forebay.control.catalogue.requests.RequestLog;
import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.thread.PeriodicTask;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;

/** Deletes requests that are older than their retention, at most a million every hour. */
@Singleton
public class RequestCleanup {

    private static final int BATCH = 10_000;
    private static final int MOST_BATCHES = 100;

    private final RequestLog requests;
    private final VersionLookup lookup;
    private final Duration retention;
    private final PeriodicTask task =
            new PeriodicTask(
                    Thread.ofPlatform().daemon().name("request-janitor"),
                    Duration.ofHours(1),
                    Duration.ofMinutes(1),
                    "Cannot delete old requests",
                    this::clean);

    RequestCleanup(RequestLog requests, VersionLookup lookup, ControlPlaneConfig config) {
        this.requests = requests;
        this.lookup = lookup;
        this.retention = config.requests().retention();
    }

    public void start() {
        task.start();
    }

    public void stop() {
        task.interrupt();
    }

    private void clean() {
        Instant before = Instant.now().minus(retention);
        for (int batch = 0; batch < MOST_BATCHES; batch++) {
            int forgotten = Math.max(requests.forget(before, BATCH), lookup.forget(before, BATCH));
            if (forgotten < BATCH) {
                return;
            }
        }
    }
}
