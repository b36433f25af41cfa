package dev.forebay.workflows;

import static dev.forebay.workflows.Platform.US;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.activity.SweepActivities;
import io.temporal.client.WorkflowOptions;
import io.temporal.testing.TestWorkflowEnvironment;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EvictionSweepWorkflowTest {

    private final TestWorkflowEnvironment environment = TestWorkflowEnvironment.newInstance();

    @AfterEach
    void stop() {
        environment.close();
    }

    @Test
    void oneVersionThatCannotBeEvictedDoesNotStopTheOthers() {
        List<SweepActivities.Outcome> outcomes = sweep(new ManyExpired());
        assertThat(outcomes).hasSize(30);
        assertThat(outcomes).filteredOn(outcome -> !outcome.evicted()).hasSize(1);
        assertThat(outcomes.get(5).reason()).isEqualTo("somebody was quicker");
    }

    private List<SweepActivities.Outcome> sweep(SweepActivities activities) {
        var worker = environment.newWorker(TaskQueues.LIFECYCLE);
        worker.registerWorkflowImplementationTypes(EvictionSweepWorkflowImpl.class);
        worker.registerActivitiesImplementations(activities);
        environment.start();
        return environment
                .getWorkflowClient()
                .newWorkflowStub(
                        EvictionSweepWorkflow.class,
                        WorkflowOptions.newBuilder().setTaskQueue(TaskQueues.LIFECYCLE).build())
                .run(US);
    }

    private static final class ManyExpired implements SweepActivities {

        @Override
        public List<DatasetVersion> expired(RegionName region, int limit) {
            return IntStream.range(0, Math.min(30, limit))
                    .mapToObj(i -> DatasetVersion.of("team", "digits", "v" + i))
                    .toList();
        }

        @Override
        public Outcome evictIfExpired(DatasetVersion version, RegionName region) {
            if (version.version().equals("v5")) {
                throw Failures.of(new ForebayException(ErrorCode.PINNED, "somebody was quicker"));
            }
            return new Outcome(version, true, "");
        }
    }
}
