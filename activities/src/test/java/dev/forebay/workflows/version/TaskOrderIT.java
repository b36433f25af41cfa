package dev.forebay.workflows.version;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.server.TemporalServer;
import dev.forebay.model.DatasetVersion;
import dev.forebay.testing.Await;
import dev.forebay.workflows.message.Urgency;
import dev.forebay.workflows.support.ActivityStubs;
import io.temporal.activity.ActivityInterface;
import io.temporal.activity.ActivityMethod;
import io.temporal.activity.ActivityOptions;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowStub;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.worker.Worker;
import io.temporal.worker.WorkerFactory;
import io.temporal.worker.WorkerOptions;
import io.temporal.workflow.Workflow;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Temporal's server dispatches tasks in the order of their priorities. */
class TaskOrderIT {

    private static final String WORKFLOWS = "workflows";
    private static final String PLACES = "places";

    @TempDir private Path directory;
    private TemporalServer temporal;
    private WorkflowServiceStubs stubs;
    private WorkflowClient client;
    private WorkerFactory deciding;
    private WorkerFactory filling;
    private final List<WorkflowStub> started = new ArrayList<>();

    /** Simulates the fill of one version. */
    @WorkflowInterface
    public interface Waiting {
        @WorkflowMethod
        void fill(String namespace, Urgency urgency);
    }

    /** Its only activity, for which there is one slot. */
    @ActivityInterface
    public interface Place {
        @ActivityMethod
        void take(String who);
    }

    /** Schedules the activity with the priority of a fill. */
    public static final class WaitingImpl implements Waiting {
        @Override
        public void fill(String namespace, Urgency urgency) {
            DatasetVersion version = DatasetVersion.of(namespace, "d", "v1");
            ActivityOptions options =
                    ActivityOptions.newBuilder()
                            .setTaskQueue(PLACES)
                            .setStartToCloseTimeout(Duration.ofMinutes(1))
                            .setPriority(ActivityStubs.priority(version, urgency))
                            .build();
            Workflow.newActivityStub(Place.class, options).take(namespace + " " + urgency);
        }
    }

    @BeforeEach
    void start() {
        temporal = TemporalServer.start(directory);
        stubs =
                WorkflowServiceStubs.newServiceStubs(
                        WorkflowServiceStubsOptions.newBuilder()
                                .setTarget(temporal.target())
                                .build());
        client = WorkflowClient.newInstance(stubs);
        deciding = WorkerFactory.newInstance(client);
        deciding.newWorker(WORKFLOWS).registerWorkflowImplementationTypes(WaitingImpl.class);
        deciding.start();
        filling = WorkerFactory.newInstance(client);
    }

    @AfterEach
    void stop() {
        filling.shutdownNow();
        deciding.shutdownNow();
        stubs.shutdownNow();
        temporal.close();
    }

    private void wants(String namespace, Urgency urgency) {
        WorkflowStub workflow =
                client.newUntypedWorkflowStub(
                        "Waiting", WorkflowOptions.newBuilder().setTaskQueue(WORKFLOWS).build());
        workflow.start(namespace, urgency);
        Await.until(
                "it waits for the place",
                Duration.ofSeconds(30),
                () -> workflow.describe().getRawDescription().getPendingActivitiesCount() > 0);
        started.add(workflow);
    }

    @Test
    void interactiveFillsRunFirstAndNoNamespaceWaitsForAllOfAnother() {
        for (int i = 0; i < 4; i++) {
            wants("busy", Urgency.SPECULATIVE);
        }
        for (int i = 0; i < 6; i++) {
            wants("busy", Urgency.INTERACTIVE);
        }
        wants("other", Urgency.INTERACTIVE);
        List<String> order = new CopyOnWriteArrayList<>();
        Worker one =
                filling.newWorker(
                        PLACES,
                        WorkerOptions.newBuilder()
                                .setMaxConcurrentActivityExecutionSize(1)
                                .setMaxConcurrentActivityTaskPollers(1)
                                .build());
        one.registerActivitiesImplementations((Place) order::add);
        filling.start();
        started.forEach(workflow -> workflow.getResult(Void.class));

        assertThat(order).hasSize(11);
        assertThat(order.subList(0, 7)).allMatch(who -> who.endsWith("INTERACTIVE"));
        assertThat(order.subList(7, 11)).containsOnly("busy SPECULATIVE");
        assertThat(order.indexOf("other INTERACTIVE")).as("of %s", order).isLessThan(3);
    }
}
