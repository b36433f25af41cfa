package dev.forebay.agent;

import dev.forebay.membership.RegionState;
import dev.forebay.service.Role;
import io.quarkus.arc.lookup.LookupIfProperty;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/**
 * An agent is ready once it has read the state of its region. It stays ready while etcd is away,
 * because no other agent could admit pods instead.
 */
@Readiness
@Singleton
@LookupIfProperty(name = "forebay.role", stringValue = Role.AGENT_NAME)
class EtcdReadiness implements HealthCheck {

    private final RegionState region;
    private volatile boolean seen;

    EtcdReadiness(RegionState region) {
        this.region = region;
    }

    @Override
    public HealthCheckResponse call() {
        boolean connected = region.connected();
        seen |= connected;
        return HealthCheckResponse.named("etcd")
                .status(seen)
                .withData("etcd", connected ? "in touch" : "last known state")
                .build();
    }
}
