package dev.forebay.agent.kubernetes;

import dev.forebay.service.Role;
import dev.forebay.service.ServiceConfig;
import io.quarkus.arc.lookup.LookupIfProperty;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/**
 * An agent with a webhook is ready once the webhook listens. Kubernetes then sends no request to a
 * new replica earlier, and stops no old replica earlier.
 */
@Readiness
@Singleton
@LookupIfProperty(name = "forebay.admission.enabled", stringValue = "true")
class WebhookReadiness implements HealthCheck {

    private final boolean agent;
    private final Instance<TrainingPods> trainingPods;

    /** A control plane with the same settings has no webhook and must not create one. */
    WebhookReadiness(ServiceConfig service, Instance<TrainingPods> trainingPods) {
        this.agent = service.role() == Role.AGENT;
        this.trainingPods = trainingPods;
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("webhook")
                .status(!agent || trainingPods.get().areAdmitted())
                .build();
    }
}
