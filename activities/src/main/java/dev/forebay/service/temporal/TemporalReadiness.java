package dev.forebay.service.temporal;

import dev.forebay.service.Role;
import dev.forebay.service.ServiceConfig;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/**
 * How a process is with Temporal.
 *
 * <p>A control plane is ready once it polls, and does not stay without: so one of a new release
 * that cannot takes nobody's place. An agent is ready without Temporal, though it never saw it:
 * nobody else would admit pods, renew pins, and let other regions read. Neither is less so while
 * Temporal is away.
 */
@Readiness
@Singleton
final class TemporalReadiness implements HealthCheck {

    private final TemporalWorkers workers;
    private final boolean agent;

    TemporalReadiness(ServiceConfig service, TemporalWorkers workers) {
        this.workers = workers;
        this.agent = service.role() == Role.AGENT;
    }

    @Override
    public HealthCheckResponse call() {
        boolean polls = workers.polling();
        return HealthCheckResponse.named("temporal")
                .status(agent || polls)
                .withData("temporal", polls ? contact() : "not seen yet")
                .build();
    }

    private String contact() {
        return workers.reachable() ? "in touch" : "away";
    }
}
