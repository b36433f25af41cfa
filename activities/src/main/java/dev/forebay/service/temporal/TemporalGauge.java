package dev.forebay.service.temporal;

import dev.forebay.service.Role;
import dev.forebay.service.ServiceConfig;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/**
 * Gauges whether a process polls Temporal, {@code forebay_agent_temporal_connected} and {@code
 * forebay_control_temporal_connected}, read at each scrape of metrics. Readiness does not show it.
 */
@Singleton
final class TemporalGauge {

    void show(
            @Observes StartupEvent event,
            ServiceConfig service,
            TemporalWorkers workers,
            MeterRegistry registry) {
        String role = service.role() == Role.AGENT ? "agent" : "control";
        Gauge.builder(
                        "forebay." + role + ".temporal.connected",
                        () -> workers.polling() && workers.reachable() ? 1 : 0)
                .description("1 if this process polls Temporal, and Temporal answers")
                .strongReference(true)
                .register(registry);
    }
}
