package dev.forebay.service.temporal;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.service.ServiceConfig;
import dev.forebay.thread.CatchAll;
import dev.forebay.thread.PeriodicTask;
import dev.forebay.thread.ShutdownSignal;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.temporal.api.workflowservice.v1.DescribeNamespaceRequest;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.worker.Worker;
import io.temporal.worker.WorkerFactory;
import io.temporal.worker.WorkerOptions;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Polls Temporal's task queues from the start of a role to its stop. Safe for use by many threads.
 */
@Singleton
public class TemporalWorkers {

    private static final Logger LOG = Logger.getLogger(TemporalWorkers.class);

    /** A cancellation arrives with a heartbeat, so it takes at most this long. */
    private static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(2);

    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final Duration AGAIN = Duration.ofSeconds(1);
    private static final Duration REACH = Duration.ofSeconds(1);

    private static final HealthCheckRequest HEALTH =
            HealthCheckRequest.newBuilder()
                    .setService("temporal.api.workflowservice.v1.WorkflowService")
                    .build();

    private final WorkflowServiceStubs stubs;
    private final WorkerFactory factory;
    private final ServiceConfig.Temporal config;
    private final ShutdownSignal closing = new ShutdownSignal();
    private final PeriodicTask starting =
            new PeriodicTask(
                    Thread.ofVirtual().name("temporal"),
                    AGAIN,
                    "Cannot start the workers of Temporal yet",
                    this::begin);
    private volatile boolean polling;

    TemporalWorkers(WorkflowServiceStubs stubs, WorkerFactory factory, ServiceConfig config) {
        this.stubs = stubs;
        this.factory = factory;
        this.config = config.temporal();
    }

    /**
     * Waits until Temporal answers and knows our namespace, with retries within the configured
     * time.
     *
     * @throws ForebayException {@code UNAVAILABLE} naming the property to check
     */
    public void await() {
        long deadline = System.nanoTime() + config.startTimeout().toNanos();
        try {
            stubs.connect(config.startTimeout());
            awaitNamespace(deadline);
        } catch (RuntimeException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    ("Temporal at %s (forebay.temporal.target), namespace %s (forebay.temporal.namespace),"
                                    + " did not answer within %d s: %s")
                            .formatted(
                                    config.target(),
                                    config.namespace(),
                                    config.startTimeout().toSeconds(),
                                    e.getMessage()),
                    e);
        }
    }

    /** Retries, because a Temporal that has just started creates its namespace a moment later. */
    private void awaitNamespace(long deadline) {
        DescribeNamespaceRequest request =
                DescribeNamespaceRequest.newBuilder().setNamespace(config.namespace()).build();
        while (true) {
            try {
                stubs.blockingStub().describeNamespace(request);
                return;
            } catch (StatusRuntimeException e) {
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    /**
     * The work of one task queue.
     *
     * @param concurrentActivities how many of its activities run at once in this process
     * @param implementations registers workflows and activities
     */
    public record Work(
            String taskQueue, int concurrentActivities, Consumer<Worker> implementations) {}

    /**
     * Polls task queues once Temporal answers, however long that takes. Returns at once. Until then
     * it logs regularly what it waits for, or why polling cannot begin.
     *
     * @throws RuntimeException if an implementation cannot be registered, which needs no Temporal
     */
    public void startWhenReachable(Work... works) {
        register(works);
        starting.start();
    }

    /** Tries again if Temporal does not answer, or goes away again before the polling begins. */
    private void begin() {
        boolean begun =
                CatchAll.run(
                        () -> {
                            await();
                            poll();
                        },
                        e -> say(e instanceof ForebayException ? e.getMessage() : e.toString()));
        if (begun) {
            starting.close();
        }
    }

    private void say(@Nullable String why) {
        if (!closing.hasBegun()) {
            LOG.warnf("Waiting for Temporal: %s", why);
        }
    }

    /** Polls task queues, unless stopped. */
    public void start(Work... works) {
        register(works);
        poll();
    }

    private void register(Work... works) {
        for (Work work : works) {
            Worker worker =
                    factory.newWorker(
                            work.taskQueue(),
                            WorkerOptions.newBuilder()
                                    .setUsingVirtualThreads(true)
                                    .setMaxConcurrentActivityExecutionSize(
                                            work.concurrentActivities())
                                    .setMaxHeartbeatThrottleInterval(HEARTBEAT_INTERVAL)
                                    .build());
            work.implementations().accept(worker);
        }
    }

    private synchronized void poll() {
        if (closing.hasBegun()) {
            return;
        }
        factory.start();
        polling = true;
    }

    /** Returns whether this process polls. */
    public boolean polling() {
        return polling && factory.isStarted() && !factory.isShutdown();
    }

    /**
     * Returns whether Temporal answers within a second. Health probes call this, so it must be
     * quick.
     */
    public boolean reachable() {
        try {
            var _ =
                    HealthGrpc.newBlockingStub(stubs.getRawChannel())
                            .withDeadlineAfter(REACH.toMillis(), TimeUnit.MILLISECONDS)
                            .check(HEALTH);
            return true;
        } catch (StatusRuntimeException e) {
            return false;
        }
    }

    /**
     * Stops polling and waits for running work. Temporal retries elsewhere what does not finish in
     * time.
     */
    public synchronized void stop() {
        closing.begin();
        starting.close();
        if (!polling) {
            return;
        }
        polling = false;
        factory.shutdown();
        factory.awaitTermination(config.stopTimeout().toMillis(), TimeUnit.MILLISECONDS);
        factory.shutdownNow();
    }
}
