package dev.forebay.worker;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/**
 * Readiness of the worker. It is ready once the store is open and the region's state was received,
 * whether or not etcd is reachable later. It needs at least one working disk, and no other process
 * may have taken over its id.
 */
@Readiness
@ApplicationScoped
class WorkerHealth implements HealthCheck {

    private final Worker worker;

    @Inject
    WorkerHealth(Worker worker) {
        this.worker = worker;
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("worker")
                .status(worker.ready())
                .withData("worker", worker.id())
                .withData("disks", worker.disks())
                .withData("etcd", worker.inTouchWithEtcd() ? "in touch" : "last known state")
                .build();
    }
}
