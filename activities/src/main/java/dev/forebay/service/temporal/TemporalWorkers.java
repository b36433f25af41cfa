package dev.forebay.service.temporal;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.service.ServiceConfig;
import dev.forebay.thread.Closing;
import io.grpc.StatusRuntimeException;
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

/** The polling for work, from the role's start to its stop. Safe for use by many threads. */
@Singleton
public class TemporalWorkers {

    private static final Logger LOG = Logger.getLogger(TemporalWorkers.class);

    /** A cancellation is heard with a heartbeat: this is how long it takes at most. */
    private static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(2);

    private static final Duration PAUSE = Duration.ofMillis(200);

    private final WorkflowServiceStubs stubs;
    private final WorkerFactory factory;
    private final ServiceConfig.Temporal config;
    private final Closing closing = new Closing();
    private volatile boolean polling;

    TemporalWorkers(WorkflowServiceStubs stubs, WorkerFactory factory, ServiceConfig config) {
        this.stubs = stubs;
        this.factory = factory;
        this.config = config.temporal();
    }

    /**
     * Waits until Temporal answers and knows our namespace, trying again and again within the
     * configured time.
     *
     * @throws ForebayException {@code UNAVAILABLE} naming the property to look at
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

    /** A Temporal that has just started makes its namespace a moment later. */
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
     * What one task queue is polled for.
     *
     * @param concurrentActivities how many of its activities run at once in this process
     * @param implementations registers workflows and activities
     */
    public record Work(
            String taskQueue, int concurrentActivities, Consumer<Worker> implementations) {}

    /**
     * Polls task queues once Temporal answers, however long that takes; returns at once. Until then
     * a log says again and again what is waited for.
     */
    public void startWhenReachable(Work... works) {
        Thread.ofVirtual()
                .name("temporal")
                .start(
                        () -> {
                            while (!isThere() && !closing.within(PAUSE)) {
                                // It has been said why.
                            }
                            start(works);
                        });
    }

    private boolean isThere() {
        try {
            await();
            return true;
        } catch (ForebayException notYet) {
            if (!closing.hasBegun()) {
                LOG.warnf("Nothing is done for Temporal yet: %s", notYet.getMessage());
            }
            return false;
        }
    }

    /** Polls task queues, unless this was stopped. */
    public synchronized void start(Work... works) {
        if (closing.hasBegun()) {
            return;
        }
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
        factory.start();
        polling = true;
    }

    /** Whether this process polls, and nothing has stopped it. */
    public boolean polling() {
        return polling && factory.isStarted() && !factory.isShutdown();
    }

    /** Whether Temporal answers at this moment. */
    public boolean reachable() {
        try {
            stubs.healthCheck();
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    /**
     * Stops polling and waits for what is running; what does not finish in time Temporal has done
     * elsewhere.
     */
    public synchronized void stop() {
        closing.begin();
        if (!polling) {
            return;
        }
        polling = false;
        factory.shutdown();
        factory.awaitTermination(config.stopTimeout().toMillis(), TimeUnit.MILLISECONDS);
        factory.shutdownNow();
    }
}
