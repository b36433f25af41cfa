package dev.forebay.service.temporal;

import dev.forebay.service.ServiceConfig;
import dev.forebay.settings.Startup;
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
 * The one connection of this process to Temporal. It sends nothing before it is used.
 *
 * <p>One bean owns all parts, because they must be closed in order: pollers without a channel would
 * poll without end.
 */
@Singleton
final class TemporalConnection {

    private static final long CLOSE_SECONDS = 5;

    /** Virtual threads: each waiting ensureCached uses one, up to 1,000 for one version. */
    private static final int MOST_WORKFLOW_THREADS = 10_000;

    private final WorkflowServiceStubs stubs;
    private final WorkflowClient client;
    private final WorkerFactory workers;

    TemporalConnection(ServiceConfig config) {
        WorkflowServiceStubsOptions.Builder connection =
                WorkflowServiceStubsOptions.newBuilder()
                        .setTarget(config.temporal().target())
                        .setChannelInitializer(TemporalConnection::goDirectly);
        // A failure here must end the start with one line.
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

    /** Disables proxies, which the machine's variables or Java's properties may name. */
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
