package dev.forebay.benchmarks;

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
 * How long the histories of workflows are that an engine remembers.
 *
 * @param byType sums, by the type of the workflow
 */
record Histories(Map<String, Sums> byType) {

    /**
     * Of the histories of some workflows together.
     *
     * @param open how many of them go on
     */
    record Sums(long open, long events, long bytes) {
        private Sums and(Sums other) {
            return new Sums(open + other.open, events + other.events, bytes + other.bytes);
        }
    }

    /** How many of all go on. */
    long open() {
        return byType.values().stream().mapToLong(Sums::open).sum();
    }

    /**
     * Of all workflows whose ids begin so, every run of them.
     *
     * @param target the engine's host and port
     */
    static Histories of(String target, String prefix) {
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

    /** Lists do not say it of those that are open. */
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
