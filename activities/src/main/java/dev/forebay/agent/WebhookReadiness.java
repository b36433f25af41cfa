package dev.forebay.agent;

import io.quarkus.arc.lookup.LookupIfProperty;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/**
 * An agent with a webhook is ready once that listens: a new replica is asked no sooner, and an old
 * one is not stopped before.
 */
@Readiness
@Singleton
@LookupIfProperty(name = "forebay.admission.enabled", stringValue = "true")
class WebhookReadiness implements HealthCheck {

    private final TrainingPods trainingPods;

    WebhookReadiness(TrainingPods trainingPods) {
        this.trainingPods = trainingPods;
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("webhook").status(trainingPods.areAdmitted()).build();
    }
}
