package dev.forebay.workflows.evict;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.EvictWorkflow;
import dev.forebay.workflows.EvictionSweepWorkflow;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.activity.SweepActivities.Outcome;
import dev.forebay.workflows.input.EvictInput;
import dev.forebay.workflows.message.Victim;
import dev.forebay.workflows.state.Timeouts;
import dev.forebay.workflows.support.ActivityStubs;
import dev.forebay.workflows.support.ChildWorkflows;
import io.temporal.failure.TemporalFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import io.temporal.workflow.WorkflowSemaphore;
import java.time.Duration;
import java.util.List;

/** Evicts the victims of one sweep, a few at a time. The next sweep does the rest. */
public final class EvictionSweepWorkflowImpl implements EvictionSweepWorkflow {

    /** Keeps a sweep's history under about 2,000 events. */
    private static final int MOST_VERSIONS = 200;

    private static final int AT_ONCE = 8;

    /** A longer eviction continues without the sweep, so that the next sweep can start. */
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    @Override
    public List<Outcome> run(RegionName region) {
        List<Victim> victims =
                ActivityStubs.sweep(region, "choose the victims")
                        .findVictims(region, MOST_VERSIONS);
        WorkflowSemaphore places = Workflow.newWorkflowSemaphore(AT_ONCE);
        List<Promise<Outcome>> sweeps =
                victims.stream()
                        .map(victim -> Async.function(() -> inTurn(victim, region, places)))
                        .toList();
        List<Outcome> outcomes = sweeps.stream().map(Promise::get).toList();
        long evicted = outcomes.stream().filter(Outcome::evicted).count();
        Workflow.setCurrentDetails(
                "Evicted %d of %d victims from %s.".formatted(evicted, outcomes.size(), region));
        return outcomes;
    }

    private static Outcome inTurn(Victim victim, RegionName region, WorkflowSemaphore places) {
        places.acquire();
        try {
            return remove(victim, region);
        } catch (TemporalFailure failure) {
            return new Outcome(
                    victim.version(), false, Failures.problem(failure).message(), victim.reason());
        } finally {
            places.release();
        }
    }

    private static Outcome remove(Victim victim, RegionName region) {
        ManifestRef orphan = victim.orphan();
        return orphan == null
                ? ActivityStubs.sweep(region, "evict " + victim.version())
                        .evictVictim(victim, region)
                : removeOrphan(victim, orphan, region);
    }

    /**
     * Evicts an orphan under the workflow id of the version's own eviction, so the two never run at
     * once. etcd refuses the eviction if a pin is alive.
     */
    private static Outcome removeOrphan(Victim victim, ManifestRef orphan, RegionName region) {
        DatasetVersion version = victim.version();
        if (!ActivityStubs.sweep(region, "check that no version owns " + version)
                .isOrphan(victim, region)) {
            return new Outcome(
                    version, false, "the catalogue has the version again", victim.reason());
        }
        EvictWorkflow eviction = ChildWorkflows.evict(version, region);
        Promise<Void> end =
                Async.procedure(
                        eviction::run, new EvictInput(version, orphan, region, victim.why()));
        if (!Timeouts.await(TIMEOUT, end::isCompleted)) {
            return new Outcome(version, false, "its eviction continues", victim.reason());
        }
        end.get();
        return new Outcome(version, true, victim.why(), victim.reason());
    }
}
