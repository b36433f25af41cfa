package dev.forebay.benchmarks.stack;

import io.temporal.api.enums.v1.WorkflowExecutionStatus;
import io.temporal.api.workflow.v1.WorkflowExecutionInfo;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowExecutionMetadata;
import io.temporal.client.WorkflowTargetOptions;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The sizes of workflow histories that an engine keeps.
 *
 * @param byType sums, by the type of the workflow
 */
public record Histories(Map<String, Sums> byType) {

    /**
     * Sums over the histories of some workflows.
     *
     * @param open the number of running workflows
     */
    public record Sums(long open, long events, long bytes) {
        private Sums and(Sums other) {
            return new Sums(open + other.open, events + other.events, bytes + other.bytes);
        }
    }

    /** Returns the number of running workflows. */
    public long open() {
        return byType.values().stream().mapToLong(Sums::open).sum();
    }

    /**
     * Returns the sums of all runs of workflows whose ids have this prefix.
     *
     * @param target the engine's host and port
     */
    public static Histories of(String target, String prefix) {
        WorkflowServiceStubs stubs =
                WorkflowServiceStubs.newServiceStubs(
                        WorkflowServiceStubsOptions.newBuilder().setTarget(target).build());
        try {
            WorkflowClient client = WorkflowClient.newInstance(stubs);
            Map<String, Sums> byType = new TreeMap<>();
            for (WorkflowExecutionMetadata each : executions(client, prefix)) {
                byType.merge(each.getWorkflowType(), sums(client, each), Sums::and);
            }
            return new Histories(byType);
        } finally {
            stubs.shutdownNow();
        }
    }

    private static List<WorkflowExecutionMetadata> executions(
            WorkflowClient client, String prefix) {
        try (Stream<WorkflowExecutionMetadata> all =
                client.listExecutions("WorkflowId STARTS_WITH '%s'".formatted(prefix))) {
            return all.toList();
        }
    }

    /** Describes the run, because lists do not contain the size of running workflows. */
    private static Sums sums(WorkflowClient client, WorkflowExecutionMetadata listed) {
        WorkflowExecutionInfo info =
                client.newUntypedWorkflowStub(
                                WorkflowTargetOptions.newBuilder()
                                        .setWorkflowExecution(listed.getExecution())
                                        .build())
                        .describe()
                        .getWorkflowExecutionInfo();
        boolean open =
                info.getStatus() == WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING;
        return new Sums(open ? 1 : 0, info.getHistoryLength(), info.getHistorySizeBytes());
    }
}
