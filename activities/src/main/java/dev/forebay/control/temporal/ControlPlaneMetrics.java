package dev.forebay.control.temporal;

import dev.forebay.model.ErrorCode;
import dev.forebay.workflows.message.SweepReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.Locale;

/**
 * The control plane's own metrics, {@code forebay_control_*}. Quarkus adds {@code
 * http_server_requests_*}.
 */
@Singleton
public class ControlPlaneMetrics {

    private static final String PREFIX = "forebay.control.";

    private final MeterRegistry registry;

    ControlPlaneMetrics(MeterRegistry registry) {
        this.registry = registry;
        // Registers the counter at zero so that {@code rate()} sees the first event.
        ingestFailures(ErrorCode.LAKE_UNSUPPORTED);
    }

    /** Counts a failed attempt to freeze a version. */
    public void ingestFailed(ErrorCode code) {
        ingestFailures(code).increment();
    }

    private Counter ingestFailures(ErrorCode code) {
        return Counter.builder(PREFIX + "ingest.failures")
                .description("Failed attempts to freeze a version")
                .tag("code", code.name().toLowerCase(Locale.ROOT))
                .register(registry);
    }

    public void ingested(long objects, long bytes) {
        count("ingested.objects", "Objects in new manifests", objects);
        count("ingested.bytes", "Bytes of the versions with new manifests", bytes);
    }

    public void swept(SweepReason reason, boolean evicted) {
        Counter.builder(PREFIX + "sweep.versions")
                .description("Evictions that sweeps requested")
                .tag("reason", reason.name().toLowerCase(Locale.ROOT))
                .tag("outcome", evicted ? "evicted" : "kept")
                .register(registry)
                .increment();
    }

    /**
     * Counts a check for changes of a source.
     *
     * @param outcome same, changed or failed
     */
    public void checked(String outcome) {
        Counter.builder(PREFIX + "drift.checks")
                .description("Checks of datasets that follow their source, by result")
                .tag("outcome", outcome)
                .register(registry)
                .increment();
    }

    public void evictedForAdmission() {
        count("admission.evictions", "Versions that were evicted to make space for others", 1);
    }

    public void renewed(boolean alive) {
        Counter.builder(PREFIX + "pin.renewals")
                .description("Renewals of pins, by result")
                .tag("outcome", alive ? "renewed" : "ended")
                .register(registry)
                .increment();
    }

    private void count(String name, String description, long by) {
        Counter.builder(PREFIX + name)
                .description(description)
                .register(registry)
                .increment((double) by);
    }
}
