package dev.forebay.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.workflows.activity.TrackingActivities;
import dev.forebay.workflows.ingest.DriftCheckWorkflowImpl;
import dev.forebay.workflows.message.Problem;
import io.temporal.client.WorkflowException;
import io.temporal.client.WorkflowOptions;
import io.temporal.testing.TestWorkflowEnvironment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DriftCheckWorkflowTest {

    private static final DatasetName DATASET = new DatasetName("team", "digits");

    private final TestWorkflowEnvironment environment = TestWorkflowEnvironment.newInstance();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<Problem> told = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        environment.close();
    }

    @Test
    void aNewVersionIsNamedAfterTheTimeOfTheCheck() {
        TrackingActivities.Check check = run(null);

        String name = asked.getFirst();
        assertThat(name).matches("20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{6}\\.[0-9]{3}Z");
        assertThat(check.made()).isEqualTo(new DatasetVersion(DATASET, name));
        assertThat(check.added()).isEqualTo(2);
        assertThat(told).isEmpty();
    }

    /** "Following the lake". */
    @Test
    void aFailedCheckReportsItsProblemAndFailsWithItsCode() {
        ForebayException denied = new ForebayException(ErrorCode.LAKE_DENIED, "who are you");

        assertThatThrownBy(() -> run(denied))
                .isInstanceOf(WorkflowException.class)
                .satisfies(
                        failure ->
                                assertThat(Failures.problem(failure).code())
                                        .isEqualTo(ErrorCode.LAKE_DENIED));
        assertThat(told).containsExactly(new Problem(ErrorCode.LAKE_DENIED, "who are you"));
    }

    private TrackingActivities.Check run(@Nullable ForebayException failure) {
        var worker = environment.newWorker(TaskQueues.LIFECYCLE);
        worker.registerWorkflowImplementationTypes(DriftCheckWorkflowImpl.class);
        Lake lake = new Lake(failure);
        worker.registerActivitiesImplementations(lake);
        environment.newWorker(TaskQueues.TRACKING).registerActivitiesImplementations(lake);
        environment.start();
        return environment
                .getWorkflowClient()
                .newWorkflowStub(
                        DriftCheckWorkflow.class,
                        WorkflowOptions.newBuilder().setTaskQueue(TaskQueues.LIFECYCLE).build())
                .run(DATASET);
    }

    private final class Lake implements TrackingActivities {

        private final @Nullable ForebayException failure;

        Lake(@Nullable ForebayException failure) {
            this.failure = failure;
        }

        @Override
        public Check check(DatasetName dataset, String version) {
            asked.add(version);
            if (failure != null) {
                throw Failures.of(failure);
            }
            return new Check(new DatasetVersion(dataset, version), 0, 2, 0);
        }

        @Override
        public void failed(DatasetName dataset, Problem problem) {
            told.add(problem);
        }
    }
}
