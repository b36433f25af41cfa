package dev.forebay.worker;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/**
 * Ready when the store is open and the region's state was seen once: from then on reads are served,
 * whatever becomes of etcd, as long as one of its disks is left.
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
