package dev.forebay.service.temporal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.TemporalServer;
import dev.forebay.service.ServiceConfig;
import dev.forebay.service.temporal.TemporalWorkers.Work;
import dev.forebay.testing.Await;
import dev.forebay.testing.Settings;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.temporal.activity.ActivityInterface;
import io.temporal.client.WorkflowClient;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.worker.Worker;
import io.temporal.worker.WorkerFactory;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemporalWorkersIT {

    @TempDir Path directory;

    private @Nullable WorkflowServiceStubs stubs;
    private final RefusedStarts refused = new RefusedStarts();

    /** The activity of the workers. */
    @ActivityInterface
    public interface Nothing {

        /** Does nothing. */
        void nothing();
    }

    private static void register(Worker worker) {
        worker.registerActivitiesImplementations((Nothing) () -> {});
    }

    /**
     * Makes Temporal unavailable just when the workers start, which read their namespace once more.
     */
    private static final class RefusedStarts implements ClientInterceptor {

        private static final int FIRST = 2;
        private static final int LAST = 4;

        final AtomicInteger asked = new AtomicInteger();

        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(
                MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            ClientCall<Q, A> call = next.newCall(method, options);
            if ("DescribeNamespace".equals(method.getBareMethodName())) {
                int times = asked.incrementAndGet();
                if (times >= FIRST && times <= LAST) {
                    throw Status.PERMISSION_DENIED.asRuntimeException();
                }
            }
            return call;
        }
    }

    private TemporalWorkers workers(String target) {
        stubs =
                WorkflowServiceStubs.newServiceStubs(
                        WorkflowServiceStubsOptions.newBuilder()
                                .setTarget(target)
                                .addGrpcClientInterceptor(refused)
                                .build());
        Map<String, String> settings = new HashMap<>();
        settings.put("forebay.role", "agent");
        settings.put("forebay.temporal.target", target);
        settings.put("forebay.temporal.start-timeout", "1S");
        ServiceConfig config = Settings.of(ServiceConfig.class, settings);
        return new TemporalWorkers(
                stubs, WorkerFactory.newInstance(WorkflowClient.newInstance(stubs)), config);
    }

    @AfterEach
    void close() {
        if (stubs != null) {
            stubs.shutdownNow();
        }
    }

    /** Neither Java's proxy properties nor their exceptions apply. */
    @Test
    void connectionsToTemporalUseNoProxy() {
        Map<String, String> proxy =
                Map.of(
                        "https.proxyHost", "127.0.0.1",
                        "https.proxyPort", "9",
                        "http.nonProxyHosts", "nothing");
        proxy.forEach(System::setProperty);
        try (TemporalServer server = TemporalServer.start(directory)) {
            TemporalConnection connection =
                    new TemporalConnection(
                            Settings.of(
                                    ServiceConfig.class,
                                    Map.of(
                                            "forebay.role",
                                            "agent",
                                            "forebay.temporal.target",
                                            server.target())));
            try {
                connection.stubs().connect(Duration.ofSeconds(30));
                assertThat(connection.stubs().healthCheck().isInitialized()).isTrue();
            } finally {
                connection.close();
            }
        } finally {
            proxy.keySet().forEach(System::clearProperty);
        }
    }

    @Test
    void workersRetryAFailedStart() {
        try (TemporalServer temporal = TemporalServer.start(directory)) {
            TemporalWorkers workers = workers(temporal.target());
            workers.startWhenReachable(new Work("queue", 1, TemporalWorkersIT::register));

            Await.until("it polls", workers::polling);

            assertThat(refused.asked).hasValueGreaterThan(RefusedStarts.LAST);
            workers.stop();
        }
    }

    /** This is a defect in the code, so it ends the start whether Temporal answers or not. */
    @Test
    void anInvalidRegistrationFailsAtOnce() {
        TemporalWorkers workers = workers("127.0.0.1:" + Ports.free());

        assertThatThrownBy(
                        () ->
                                workers.startWhenReachable(
                                        new Work(
                                                "queue",
                                                1,
                                                worker -> {
                                                    register(worker);
                                                    register(worker);
                                                })))
                .hasMessageContaining("already registered");
    }

    /** A server behind a firewall may not answer at all, and probes cannot wait that long. */
    @Test
    void aSilentServerSoonCountsAsUnreachable() throws Exception {
        try (ServerSocket silent = new ServerSocket(0)) {
            TemporalWorkers workers = workers("127.0.0.1:" + silent.getLocalPort());
            long begun = System.nanoTime();

            assertThat(workers.reachable()).isFalse();

            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isLessThan(Duration.ofSeconds(8));
        }
    }
}
