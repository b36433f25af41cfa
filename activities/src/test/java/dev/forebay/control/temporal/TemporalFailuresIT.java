package dev.forebay.control.temporal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.forebay.control.temporal.TemporalCalls.NoSuchRunException;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.TemporalServer;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.service.ServiceConfig;
import dev.forebay.testing.Settings;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.client.WorkflowOptions;
import io.temporal.common.SearchAttributeKey;
import io.temporal.common.SearchAttributes;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** "What Temporal answers", on a real server. */
@SuppressWarnings("NullAway.Init") // set before all tests
class TemporalFailuresIT {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    @TempDir static Path directory;

    private static TemporalServer temporal;

    @BeforeAll
    static void start() {
        temporal = TemporalServer.start(directory);
    }

    @AfterAll
    static void stop() {
        temporal.close();
    }

    private interface Work {
        void on(WorkflowClient client);
    }

    private static Throwable meaning(String target, String namespace, Work work) {
        WorkflowServiceStubs stubs =
                WorkflowServiceStubs.newServiceStubs(
                        WorkflowServiceStubsOptions.newBuilder().setTarget(target).build());
        try {
            WorkflowClient client =
                    WorkflowClient.newInstance(
                            stubs,
                            WorkflowClientOptions.newBuilder().setNamespace(namespace).build());
            TemporalCalls calls =
                    new TemporalCalls(
                            Settings.of(
                                    ServiceConfig.class,
                                    Map.of(
                                            "forebay.role",
                                            "control-plane",
                                            "forebay.temporal.target",
                                            target)));
            return catchThrowable(
                    () ->
                            calls.call(
                                    LIMIT,
                                    () -> {
                                        work.on(client);
                                        return true;
                                    }));
        } finally {
            stubs.shutdownNow();
        }
    }

    private static void means(ErrorCode code, String said, Throwable meaning) {
        assertThat(meaning)
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        failure -> assertThat(failure.code()).isEqualTo(code))
                .hasMessageContaining(said);
    }

    private static void signal(WorkflowClient client) {
        client.newUntypedWorkflowStub("absent").signal("signal");
    }

    private static void start(WorkflowClient client, WorkflowOptions.Builder options, int bytes) {
        client.newUntypedWorkflowStub("Some", options.setWorkflowId("w").setTaskQueue("q").build())
                .start("x".repeat(bytes));
    }

    @Test
    void aMissingWorkflowBecomesNoSuchRunException() {
        assertThat(meaning(temporal.target(), "default", TemporalFailuresIT::signal))
                .isInstanceOf(NoSuchRunException.class);
    }

    @Test
    void aMissingNamespaceIsUnavailableAndNamesTheSetting() {
        means(
                ErrorCode.UNAVAILABLE,
                "forebay.temporal.namespace",
                meaning(temporal.target(), "absent", TemporalFailuresIT::signal));
    }

    @Test
    void anOversizedArgumentIsAnInternalError() {
        means(
                ErrorCode.INTERNAL,
                "INVALID_ARGUMENT",
                meaning(
                        temporal.target(),
                        "default",
                        client -> start(client, WorkflowOptions.newBuilder(), 3 << 20)));
    }

    @Test
    void aMissingSearchAttributeIsNamedAndNotRetryable() {
        WorkflowOptions.Builder options =
                WorkflowOptions.newBuilder()
                        .setTypedSearchAttributes(
                                SearchAttributes.newBuilder()
                                        .set(SearchAttributeKey.forKeyword("Absent"), "x")
                                        .build());
        Throwable meaning =
                meaning(temporal.target(), "default", client -> start(client, options, 1));
        means(ErrorCode.INTERNAL, "Absent", meaning);
        assertThat(((ForebayException) meaning).retryable()).isFalse();
    }

    @Test
    void aRefusedConnectionIsUnavailable() {
        means(
                ErrorCode.UNAVAILABLE,
                "did not answer",
                meaning("127.0.0.1:" + Ports.free(), "default", TemporalFailuresIT::signal));
    }
}
