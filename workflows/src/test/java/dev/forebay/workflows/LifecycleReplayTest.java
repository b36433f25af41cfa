package dev.forebay.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.workflows.version.WorkflowImplementations;
import io.temporal.common.WorkflowExecutionHistory;
import io.temporal.testing.TestWorkflowEnvironment;
import io.temporal.testing.WorkflowReplayer;
import io.temporal.worker.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Running workflows continue under the present code: every recorded history replays. The package
 * documentation of {@code dev.forebay.workflows} says what to do if one does not.
 */
class LifecycleReplayTest {

    private static final Path HISTORIES = Path.of("src/test/resources/histories");

    private static TestWorkflowEnvironment environment;
    private static Worker worker;

    static Stream<Path> histories() throws IOException {
        try (Stream<Path> files = Files.list(HISTORIES)) {
            return files.sorted().toList().stream();
        }
    }

    @BeforeAll
    static void register() {
        environment = TestWorkflowEnvironment.newInstance();
        worker = environment.newWorker(TaskQueues.LIFECYCLE);
        worker.registerWorkflowImplementationTypes(WorkflowImplementations.all());
    }

    @AfterAll
    static void close() {
        environment.close();
    }

    @ParameterizedTest
    @MethodSource("histories")
    void everyRecordedHistoryReplays(Path history) throws Exception {
        WorkflowReplayer.replayWorkflowExecution(
                WorkflowExecutionHistory.fromJson(Files.readString(history)), worker);
    }

    @Test
    void theHistoriesContainEveryKindOfWorkflow() throws IOException {
        assertThat(histories().map(file -> file.getFileName().toString()))
                .anyMatch(name -> name.endsWith(".version.json"))
                .anyMatch(name -> name.endsWith(".ingest.json"))
                .anyMatch(name -> name.endsWith(".prewarm.json"))
                .anyMatch(name -> name.endsWith(".evict.json"))
                .anyMatch(name -> name.endsWith(".sweep.json"))
                .anyMatch(name -> name.endsWith(".drift.json"));
    }
}
