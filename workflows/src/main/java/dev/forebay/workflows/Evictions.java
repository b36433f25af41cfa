package dev.forebay.workflows;

import dev.forebay.lifecycle.Event.EvictionBegun;
import dev.forebay.lifecycle.Event.EvictionFinished;
import dev.forebay.lifecycle.Event.EvictionRefused;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.EvictInput;
import dev.forebay.workflows.message.Leaving;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency.State;
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
 * The evictions that are under way. One that fails in the middle is tried again for as long as it
 * takes: a region that has fenced a version serves it to nobody until it is gone.
 */
final class Evictions {

    private static final Logger LOG = Workflow.getLogger(Evictions.class);

    /** Of an eviction of which the catalogue alone knows, or that earlier code has begun. */
    private static final String UNKNOWN = "why is not known any more";

    /** Short, for what is in the way is most often the child of the run before, about to end. */
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);

    private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

    /** While a child of the run before goes on, which may end at any time. */
    private static final Duration LONGEST_PAUSE_BESIDE_ANOTHER = Duration.ofMinutes(1);

    private final VersionState state;
    private final Fills fills;
    private final Map<RegionName, Running> running = new LinkedHashMap<>();

    Evictions(VersionState state, Fills fills) {
        this.state = state;
        this.fills = fills;
    }

    private record Running(String reason, Promise<Void> end) {}

    boolean isIdle() {
        return running.isEmpty();
    }

    /**
     * The eviction under way in a region, or a new one. Fails with PINNED if the region's etcd
     * knows of a pin.
     */
    Promise<Void> of(RegionName region, String reason) {
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
     * Goes on with one of an earlier run.
     *
     * @param left what that one has left
     */
    void takeUp(RegionName region, List<Leaving> left) {
        String reason =
                left.stream()
                        .filter(each -> each.region().equals(region))
                        .map(Leaving::reason)
                        .findFirst()
                        .orElse(UNKNOWN);
        var _ = of(region, reason);
    }

    /** What the next run has to go on with. */
    List<Leaving> left() {
        return running.entrySet().stream()
                .map(each -> new Leaving(each.getKey(), each.getValue().reason()))
                .toList();
    }

    private void evict(EvictInput input) {
        Duration pause = FIRST_PAUSE;
        Duration longest;
        while (true) {
            try {
                Children.evict(input.version(), input.region()).run(input);
                return;
            } catch (TemporalFailure failure) {
                Problem problem = Failures.problem(failure);
                if (problem.code() == ErrorCode.PINNED) {
                    spare(input.region());
                    throw Failures.refusal(problem);
                }
                LOG.warn("eviction from {} goes on after {}", input.region(), problem);
                longest =
                        failure.getCause() instanceof WorkflowExecutionAlreadyStarted
                                ? LONGEST_PAUSE_BESIDE_ANOTHER
                                : LONGEST_PAUSE;
            }
            Workflow.sleep(pause);
            pause = pause.multipliedBy(2);
            pause = pause.compareTo(longest) < 0 ? pause : longest;
        }
    }

    private void spare(RegionName region) {
        state.apply(new EvictionRefused(region, VersionState.now()));
        if (state.state(region) == State.WARMING) {
            fills.of(region);
        }
    }
}
