package dev.forebay.benchmarks.stack;

import io.temporal.api.enums.v1.WorkflowIdConflictPolicy;
import io.temporal.client.UpdateOptions;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowUpdateStage;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.worker.WorkerFactory;
import io.temporal.workflow.UpdateMethod;
import io.temporal.workflow.Workflow;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/**
 * Measures an update-with-start of a workflow that does nothing, with its worker in this process.
 * This is the least time that the engine takes for a message and its answer.
 */
public final class BareUpdate implements AutoCloseable {

    private static final String QUEUE = "bench-bare-update";

    /** A workflow that waits forever. */
    @WorkflowInterface
    public interface Empty {
        /** Never ends. */
        @WorkflowMethod
        void run();

        /** Does nothing. */
        @UpdateMethod
        void nothing();
    }

    /** The smallest possible implementation. */
    public static final class EmptyImpl implements Empty {
        @Override
        public void run() {
            Workflow.await(() -> false);
        }

        @Override
        public void nothing() {}
    }

    private final WorkflowServiceStubs stubs;
    private final WorkflowClient client;
    private final WorkerFactory workers;

    /**
     * @param target the engine's host and port
     */
    public BareUpdate(String target) {
        stubs =
                WorkflowServiceStubs.newServiceStubs(
                        WorkflowServiceStubsOptions.newBuilder().setTarget(target).build());
        client = WorkflowClient.newInstance(stubs);
        workers = WorkerFactory.newInstance(client);
        workers.newWorker(QUEUE).registerWorkflowImplementationTypes(EmptyImpl.class);
        workers.start();
    }

    /** Sends one update and waits until it is completed. */
    public void call() {
        WorkflowOptions options =
                WorkflowOptions.newBuilder()
                        .setWorkflowId(QUEUE)
                        .setTaskQueue(QUEUE)
                        .setWorkflowIdConflictPolicy(
                                WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING)
                        .build();
        UpdateOptions<Void> update =
                UpdateOptions.newBuilder(Void.class)
                        .setUpdateName("nothing")
                        .setWaitForStage(WorkflowUpdateStage.COMPLETED)
                        .build();
        client.newUntypedWorkflowStub("Empty", options)
                .executeUpdateWithStart(update, new Object[0], new Object[0]);
    }

    @Override
    public void close() {
        workers.shutdownNow();
        stubs.shutdownNow();
    }
}
