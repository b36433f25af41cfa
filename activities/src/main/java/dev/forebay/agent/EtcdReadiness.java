package dev.forebay.agent;

import dev.forebay.membership.RegionState;
import dev.forebay.service.Role;
import io.quarkus.arc.lookup.LookupIfProperty;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** An agent is ready while its view of the region is current. */
@Readiness
@Singleton
@LookupIfProperty(name = "forebay.role", stringValue = Role.AGENT_NAME)
class EtcdReadiness implements HealthCheck {

    private final RegionState region;

    EtcdReadiness(RegionState region) {
        this.region = region;
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("etcd").status(region.connected()).build();
    }
}
