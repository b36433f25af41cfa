package dev.forebay.workflows;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.activity.SweepActivities.Outcome;
import io.temporal.failure.ActivityFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import io.temporal.workflow.WorkflowSemaphore;
import java.util.List;

/** Evicts what the catalogue says has expired, a few at a time; the next sweep does the rest. */
public final class EvictionSweepWorkflowImpl implements EvictionSweepWorkflow {

    /** Keeps a sweep's history under about 2,000 events. */
    private static final int MOST_VERSIONS = 200;

    private static final int AT_ONCE = 8;

    @Override
    public List<Outcome> run(RegionName region) {
        List<DatasetVersion> expired =
                Steps.sweep(region, "what has expired").expired(region, MOST_VERSIONS);
        WorkflowSemaphore places = Workflow.newWorkflowSemaphore(AT_ONCE);
        List<Promise<Outcome>> sweeps =
                expired.stream()
                        .map(version -> Async.function(() -> evict(version, region, places)))
                        .toList();
        List<Outcome> outcomes = sweeps.stream().map(Promise::get).toList();
        long evicted = outcomes.stream().filter(Outcome::evicted).count();
        Workflow.setCurrentDetails(
                "Evicted %d of %d expired versions from %s."
                        .formatted(evicted, outcomes.size(), region));
        return outcomes;
    }

    private static Outcome evict(
            DatasetVersion version, RegionName region, WorkflowSemaphore places) {
        places.acquire();
        try {
            return Steps.sweep(region, "evict " + version).evictIfExpired(version, region);
        } catch (ActivityFailure failure) {
            return new Outcome(version, false, Failures.problem(failure).message());
        } finally {
            places.release();
        }
    }
}
