package dev.forebay.control;

import dev.forebay.workflows.TaskQueues;
import dev.forebay.workflows.activity.CatalogueActivities;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.activity.ActivityOptions;
import io.temporal.workflow.Workflow;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A workflow that projects a status into the catalogue, so that a test can store what no version's
 * workflow reports.
 */
@WorkflowInterface
public interface CatalogueCalls {

    /** Projects a status with a revision, or without one, as old workflow code did. */
    @WorkflowMethod(name = "CatalogueCall")
    void project(VersionStatus status, @Nullable Long revision);

    /** The implementation. It retries while the failure is retryable. */
    final class Impl implements CatalogueCalls {

        private static final ActivityOptions OPTIONS =
                ActivityOptions.newBuilder()
                        .setTaskQueue(TaskQueues.LIFECYCLE)
                        .setStartToCloseTimeout(Duration.ofSeconds(30))
                        .build();

        @Override
        public void project(VersionStatus status, @Nullable Long revision) {
            if (revision == null) {
                Workflow.newUntypedActivityStub(OPTIONS).execute("Project", Void.class, status);
            } else {
                Workflow.newActivityStub(CatalogueActivities.class, OPTIONS)
                        .project(status, revision, List.of());
            }
        }
    }
}
