package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowStub;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.worker.WorkerFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Projections into the catalogue, on a real PostgreSQL. */
class ProjectionIT {

    private static final String QUEUE = "projections";
    private static final Duration TTL = Duration.ofSeconds(4321);

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;
    private final WorkflowServiceStubs stubs =
            WorkflowServiceStubs.newServiceStubs(
                    WorkflowServiceStubsOptions.newBuilder()
                            .setTarget(platform.temporal.target())
                            .build());
    private final WorkflowClient client = WorkflowClient.newInstance(stubs);
    private final WorkerFactory factory = WorkerFactory.newInstance(client);

    ProjectionIT() {
        factory.newWorker(QUEUE).registerWorkflowImplementationTypes(CatalogueCalls.Impl.class);
        factory.start();
    }

    @AfterEach
    void close() {
        factory.shutdownNow();
        stubs.shutdownNow();
    }

    @Test
    void anOutdatedProjectionChangesNothing() throws Exception {
        String name = platform.dataset(3600);
        VersionStatus other = status(name, List.of());
        String known = cached(name).toString();

        project(other, 1L);
        assertThat(catalogue(name)).hasToString(known);

        project(other, Long.MAX_VALUE);
        assertThat(catalogue(name).get("ttl_seconds").asLong()).isEqualTo(TTL.toSeconds());
        assertThat(catalogue(name).get("regions")).isEmpty();
    }

    @Test
    void aProjectionThatTheDatabaseCannotStoreIsNotRetried() {
        String name = platform.dataset(3600);
        String known = cached(name).toString();
        PinGrant pin =
                new PinGrant(FakeRegion.NAME, "p", "\0", "", Instant.parse("2030-01-01T00:00:00Z"));

        Throwable failure =
                catchThrowable(() -> project(status(name, List.of(pin)), Long.MAX_VALUE));

        assertThat(Failures.problem(failure).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(catalogue(name)).hasToString(known);
    }

    /** Returns the version as the catalogue has it, once it is complete in the region. */
    private JsonNode cached(String name) {
        api.post(
                version(name, "v1") + "/ensure?wait_seconds=30", "{\"region\":\"" + REGION + "\"}");
        Await.until(
                "the catalogue knows",
                () -> {
                    ObjectNode shown = (ObjectNode) api.get(version(name, "v1")).body();
                    shown.putNull("origin"); // lists have no origin
                    return shown.at("/regions/0/state").asText().equals("CACHED")
                            && catalogue(name).equals(shown);
                });
        return catalogue(name);
    }

    private JsonNode catalogue(String name) {
        return api.get("/datasets/team/" + name + "/versions").body().at("/items/0");
    }

    private static VersionStatus status(String name, List<PinGrant> pins) {
        return new VersionStatus(DatasetVersion.of("team", name, "v1"), null, TTL, List.of(), pins);
    }

    private void project(VersionStatus status, long revision) throws Exception {
        WorkflowStub call =
                client.newUntypedWorkflowStub(
                        "CatalogueCall", WorkflowOptions.newBuilder().setTaskQueue(QUEUE).build());
        call.start(status, revision);
        call.getResult(30, TimeUnit.SECONDS, Void.class);
    }
}
