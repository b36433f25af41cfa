package dev.forebay.service.temporal;

import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Ready when this process polls for work and Temporal answers. */
@Readiness
@Singleton
final class TemporalReadiness implements HealthCheck {

    private final TemporalWorkers workers;

    TemporalReadiness(TemporalWorkers workers) {
        this.workers = workers;
    }

    @Override
    public HealthCheckResponse call() {
        boolean polling = workers.polling();
        return HealthCheckResponse.named("temporal")
                .status(polling && workers.reachable())
                .withData("polling", polling)
                .build();
    }
}
