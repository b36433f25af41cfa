package dev.forebay.workflows.ingest;

import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.workflows.DriftCheckWorkflow;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.activity.TrackingActivities.Check;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.support.ActivityStubs;
import io.temporal.failure.ActivityFailure;
import io.temporal.workflow.Workflow;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Runs one activity and records its failure. The Schedule retries with its next check. */
public final class DriftCheckWorkflowImpl implements DriftCheckWorkflow {

    /** Checks of one dataset never overlap, so no two of them begin in the same millisecond. */
    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);

    @Override
    public Check run(DatasetName dataset) {
        String version = NAME.format(Instant.ofEpochMilli(Workflow.currentTimeMillis()));
        try {
            Check check = ActivityStubs.driftCheck(dataset).check(dataset, version);
            Workflow.setCurrentDetails(details(check));
            return check;
        } catch (ActivityFailure failure) {
            Problem problem = Failures.problem(failure);
            ActivityStubs.trackingReport(dataset).failed(dataset, problem);
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
