package dev.forebay.service.temporal;

import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/**
 * Ready once this process polls for work. Not less so while Temporal is away: nobody else would do
 * what it does without Temporal, as to answer from the catalogue, renew pins, and admit pods.
 */
@Readiness
@Singleton
final class TemporalReadiness implements HealthCheck {

    private final TemporalWorkers workers;

    TemporalReadiness(TemporalWorkers workers) {
        this.workers = workers;
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("temporal")
                .status(workers.polling())
                .withData("temporal", workers.reachable() ? "in touch" : "away")
                .build();
    }
}
