package dev.forebay.service.temporal;

import dev.forebay.service.ServiceConfig;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.worker.WorkerFactory;
import io.temporal.worker.WorkerFactoryOptions;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;

/** Makes the one connection of this process to Temporal. Nothing is sent before it is used. */
@Singleton
final class TemporalConnection {

    private static final long CLOSE_SECONDS = 5;

    @Produces
    @Singleton
    WorkflowServiceStubs stubs(ServiceConfig config) {
        return WorkflowServiceStubs.newServiceStubs(
                WorkflowServiceStubsOptions.newBuilder()
                        .setTarget(config.temporal().target())
                        .build());
    }

    void close(@Disposes WorkflowServiceStubs stubs) {
        stubs.shutdown();
        stubs.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    }

    @Produces
    @Singleton
    WorkflowClient client(WorkflowServiceStubs stubs, ServiceConfig config) {
        return WorkflowClient.newInstance(
                stubs,
                WorkflowClientOptions.newBuilder()
                        .setNamespace(config.temporal().namespace())
                        .build());
    }

    @Produces
    @Singleton
    WorkerFactory workers(WorkflowClient client) {
        return WorkerFactory.newInstance(
                client,
                WorkerFactoryOptions.newBuilder()
                        .setUsingVirtualWorkflowThreads(true)
                        .setWorkerInterceptors(new TypedFailures())
                        .build());
    }
}
