package dev.forebay.service.temporal;

import dev.forebay.service.ServiceConfig;
import dev.forebay.service.Startup;
import io.grpc.ManagedChannelBuilder;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.worker.WorkerFactory;
import io.temporal.worker.WorkerFactoryOptions;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;

/**
 * The one connection of this process to Temporal. Nothing is sent before it is used.
 *
 * <p>One bean owns all its parts, for they have to be closed in order: pollers whose channel is
 * gone would poll for ever.
 */
@Singleton
final class TemporalConnection {

    private static final long CLOSE_SECONDS = 5;

    /** Virtual ones: every waiting ensureCached is one, up to 1,000 for one version. */
    private static final int MOST_WORKFLOW_THREADS = 10_000;

    private final WorkflowServiceStubs stubs;
    private final WorkflowClient client;
    private final WorkerFactory workers;

    TemporalConnection(ServiceConfig config) {
        WorkflowServiceStubsOptions.Builder connection =
                WorkflowServiceStubsOptions.newBuilder()
                        .setTarget(config.temporal().target())
                        .setChannelInitializer(TemporalConnection::goDirectly);
        // A bean is made in the middle of a start.
        Startup.run(() -> TemporalTls.apply(config.temporal().tls(), connection));
        stubs = WorkflowServiceStubs.newServiceStubs(connection.build());
        client =
                WorkflowClient.newInstance(
                        stubs,
                        WorkflowClientOptions.newBuilder()
                                .setNamespace(config.temporal().namespace())
                                .build());
        workers =
                WorkerFactory.newInstance(
                        client,
                        WorkerFactoryOptions.newBuilder()
                                .setUsingVirtualWorkflowThreads(true)
                                .setMaxWorkflowThreadCount(MOST_WORKFLOW_THREADS)
                                .setWorkerInterceptors(new TypedFailures())
                                .build());
    }

    /** Through no proxy, whatever the machine's variables and Java's properties say. */
    static void goDirectly(ManagedChannelBuilder<?> channel) {
        channel.proxyDetector(_ -> null);
    }

    @Produces
    @Singleton
    WorkflowServiceStubs stubs() {
        return stubs;
    }

    @Produces
    @Singleton
    WorkflowClient client() {
        return client;
    }

    @Produces
    @Singleton
    WorkerFactory workers() {
        return workers;
    }

    @PreDestroy
    void close() {
        workers.shutdownNow();
        workers.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        stubs.shutdownNow();
        stubs.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
