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

/** A projection as a workflow: how a test tells the catalogue what no version's workflow says. */
@WorkflowInterface
public interface CatalogueCalls {

    /** Tells it with a revision, or as workflow code did that knew of none. */
    @WorkflowMethod(name = "CatalogueCall")
    void project(VersionStatus status, @Nullable Long revision);

    /** The implementation; it tries again for as long as the failure is retryable. */
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
