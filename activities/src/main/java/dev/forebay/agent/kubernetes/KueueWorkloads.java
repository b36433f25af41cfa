package dev.forebay.agent.kubernetes;

import dev.forebay.agent.gate.GateFactory;
import dev.forebay.agent.gate.WarmCheck;
import dev.forebay.agent.jobs.Cluster;
import dev.forebay.agent.jobs.Workloads;
import dev.forebay.thread.PeriodicTask;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;

/**
 * Runs the AdmissionCheck by which Kueue holds Workloads back until their versions are in the
 * region.
 */
@Singleton
public class KueueWorkloads implements AutoCloseable {

    private static final Duration TICK = Duration.ofSeconds(1);

    private final Workloads workloads;
    private final PeriodicTask checking;

    /** Makes no requests. */
    KueueWorkloads(Cluster cluster, GateFactory gates, MeterRegistry registry) {
        workloads = cluster.workloads();
        WarmCheck check = gates.of(workloads);
        checking = ReconcileTasks.of("check of Kueue Workloads", TICK, check::check);
        Gauge.builder("forebay.agent.checked.workloads", check, WarmCheck::waiting)
                .description("Kueue Workloads that wait for their versions")
                .register(registry);
    }

    public void start() {
        workloads.follow();
        checking.start();
    }

    @Override
    public void close() {
        checking.close();
        workloads.close();
    }
}
