package dev.forebay.workflows;

import dev.forebay.lifecycle.Event.Ensured;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Residency.State;
import io.temporal.workflow.Async;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.util.LinkedHashMap;
import java.util.Map;

/** The fillings that are under way: one per region, however many wait for it. */
final class Fills {

    private final VersionState state;
    private final Ingest ingest;
    private final Map<RegionName, Running> running = new LinkedHashMap<>();

    Fills(VersionState state, Ingest ingest) {
        this.state = state;
        this.ingest = ingest;
    }

    private record Running(Fill fill, Promise<Void> end) {}

    boolean isIdle() {
        return running.isEmpty() && ingest.isIdle();
    }

    /**
     * The filling of a region: done already if the region is CACHED, else the one under way, else a
     * new one. Not to be called while the region is EVICTING.
     */
    Promise<Void> of(RegionName region) {
        Running present = running.get(region);
        if (present != null) {
            return present.end();
        }
        if (state.state(region) == State.CACHED) {
            return Workflow.newPromise((Void) null);
        }
        state.apply(new Ensured(region));
        Fill fill = new Fill(state, ingest, region);
        Promise<Void> end =
                Async.procedure(
                        () -> {
                            try {
                                fill.run();
                            } finally {
                                running.remove(region);
                            }
                        });
        running.put(region, new Running(fill, end));
        return end;
    }

    /**
     * Blocks the calling handler until no eviction is under way in the region, nor a filling that
     * is about to learn of one.
     */
    void awaitSettled(RegionName region) {
        Workflow.await(
                () -> {
                    Running present = running.get(region);
                    return state.state(region) != State.EVICTING
                            && (present == null || !present.fill().isStopping());
                });
    }

    /** Returns when nothing fills the region any more; an eviction has begun there. */
    void stop(RegionName region) {
        Running present = running.get(region);
        if (present != null) {
            present.fill().stop();
        }
    }
}
