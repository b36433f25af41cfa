package dev.forebay.service.temporal;

import dev.forebay.service.Role;
import dev.forebay.service.ServiceConfig;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/**
 * The readiness of a process with regard to Temporal.
 *
 * <p>A control plane is ready once it polls, and fails to start otherwise. A new release that
 * cannot poll therefore replaces no replica. An agent is ready even if it never reached Temporal,
 * because no other agent would admit pods, renew pins, or serve other regions instead. Both stay
 * ready while Temporal is away.
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
