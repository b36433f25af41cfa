package dev.forebay.workflows;

import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.workflows.activity.TrackingActivities.Check;
import dev.forebay.workflows.message.Problem;
import io.temporal.failure.ActivityFailure;
import io.temporal.workflow.Workflow;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** One activity, and word of it when it was given up: the next check is the Schedule's. */
public final class DriftCheckWorkflowImpl implements DriftCheckWorkflow {

    /** No two checks of a dataset run at once, so no two begin in the same millisecond. */
    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);

    @Override
    public Check run(DatasetName dataset) {
        String version = NAME.format(Instant.ofEpochMilli(Workflow.currentTimeMillis()));
        try {
            Check check = Steps.driftCheck(dataset).check(dataset, version);
            Workflow.setCurrentDetails(details(check));
            return check;
        } catch (ActivityFailure failure) {
            Problem problem = Failures.problem(failure);
            Steps.tell(dataset).failed(dataset, problem);
            throw Failures.refusal(problem);
        }
    }

    private static String details(Check check) {
        DatasetVersion made = check.made();
        return made == null
                ? "The lake has not changed."
                : "Made %s: %d objects changed, %d added, %d removed."
                        .formatted(made, check.changed(), check.added(), check.removed());
    }
}
