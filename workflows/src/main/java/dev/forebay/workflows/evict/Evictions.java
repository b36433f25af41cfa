package dev.forebay.workflows.evict;

import dev.forebay.lifecycle.VersionEvent.EvictionBegun;
import dev.forebay.lifecycle.VersionEvent.EvictionFinished;
import dev.forebay.lifecycle.VersionEvent.EvictionRefused;
import dev.forebay.model.Backoff;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.fill.Fills;
import dev.forebay.workflows.input.EvictInput;
import dev.forebay.workflows.input.UnfinishedEviction;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.state.VersionState;
import dev.forebay.workflows.support.ChildWorkflows;
import io.temporal.client.WorkflowExecutionAlreadyStarted;
import io.temporal.failure.TemporalFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;

/**
 * The evictions in progress. One that fails is retried without limit: a region that has fenced a
 * version serves it to no client until the eviction has finished.
 */
public final class Evictions {

    /** After this time a client gets an answer although the eviction continues. */
    public static final Duration CLIENT_TIMEOUT = Duration.ofMinutes(30);

    private static final Logger LOG = Workflow.getLogger(Evictions.class);

    /** The reason of an eviction that only the catalogue knows. */
    private static final String UNKNOWN = "the reason is no longer known";

    /**
     * Starts with a short pause, because the obstacle is most often the child of the previous run,
     * which is about to end.
     */
    private static final Backoff BACKOFF = new Backoff(Duration.ofSeconds(5), Duration.ofHours(1));

    /** Used while the child of the previous run continues, because it may end at any time. */
    private static final Backoff BACKOFF_BESIDE_ANOTHER =
            new Backoff(BACKOFF.first(), Duration.ofMinutes(1));

    private final VersionState state;
    private final Fills fills;
    private final Map<RegionName, Running> running = new LinkedHashMap<>();

    public Evictions(VersionState state, Fills fills) {
        this.state = state;
        this.fills = fills;
    }

    private record Running(String reason, Promise<Void> end) {}

    public boolean isIdle() {
        return running.isEmpty();
    }

    /**
     * Returns the eviction in progress in a region, or a new one. It fails with PINNED if the
     * region's etcd has a pin.
     */
    public Promise<Void> of(RegionName region, String reason) {
        Running present = running.get(region);
        if (present != null) {
            return present.end();
        }
        state.apply(new EvictionBegun(region), reason);
        Promise<Void> end =
                Async.procedure(
                        () -> {
                            try {
                                evict(region, reason);
                            } finally {
                                running.remove(region);
                            }
                        });
        running.put(region, new Running(reason, end));
        return end;
    }

    private void evict(RegionName region, String reason) {
        fills.stop(region);
        ManifestRef manifest = state.status().manifest();
        if (manifest != null) {
            evict(new EvictInput(state.version(), manifest, region, reason));
        }
        state.apply(new EvictionFinished(region), reason);
    }

    /**
     * Takes up an eviction of an earlier run.
     *
     * @param left the evictions that the earlier run left
     */
    public void takeUp(RegionName region, List<UnfinishedEviction> left) {
        String reason =
                left.stream()
                        .filter(each -> each.region().equals(region))
                        .map(UnfinishedEviction::reason)
                        .findFirst()
                        .orElse(UNKNOWN);
        var _ = of(region, reason);
    }

    /** Returns the evictions that the next run has to take up. */
    public List<UnfinishedEviction> left() {
        return running.entrySet().stream()
                .map(each -> new UnfinishedEviction(each.getKey(), each.getValue().reason()))
                .toList();
    }

    private void evict(EvictInput input) {
        Duration pause = BACKOFF.first();
        while (true) {
            Backoff backoff;
            try {
                ChildWorkflows.evict(input.version(), input.region()).run(input);
                return;
            } catch (TemporalFailure failure) {
                Problem problem = Failures.problem(failure);
                if (problem.code() == ErrorCode.PINNED) {
                    spare(input.region());
                    throw Failures.refusal(problem);
                }
                LOG.warn(
                        "Cannot finish the eviction of {} from {} yet; retrying: {}",
                        input.version(),
                        input.region(),
                        problem);
                backoff =
                        failure.getCause() instanceof WorkflowExecutionAlreadyStarted
                                ? BACKOFF_BESIDE_ANOTHER
                                : BACKOFF;
            }
            Workflow.sleep(pause);
            pause = backoff.following(pause);
        }
    }

    private void spare(RegionName region) {
        state.apply(new EvictionRefused(region, VersionState.now()));
        if (state.state(region) == State.WARMING) {
            fills.of(region);
        }
    }
}
