package dev.forebay.workflows.fill;

import dev.forebay.lifecycle.VersionEvent.Ensured;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.ingest.Ingest;
import dev.forebay.workflows.input.UnfinishedFill;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.Urgency;
import dev.forebay.workflows.state.VersionState;
import io.temporal.workflow.Async;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The fills of a version in progress: one per region, for any number of callers. */
public final class Fills {

    private final VersionState state;
    private final Ingest ingest;
    private final CoverageQueries coverageQueries;
    private final Map<RegionName, Running> running = new LinkedHashMap<>();
    private final Map<RegionName, UnfinishedFill> unfinished = new LinkedHashMap<>();
    private boolean halting;

    /**
     * @param left the fills that the previous run left; the first caller in this run takes them up
     */
    public Fills(
            VersionState state,
            Ingest ingest,
            CoverageQueries coverageQueries,
            List<UnfinishedFill> left) {
        left.forEach(each -> unfinished.put(each.region(), each));
        this.state = state;
        this.ingest = ingest;
        this.coverageQueries = coverageQueries;
    }

    /**
     * @param askedFor whether a request began the fill: the region was ABSENT or BLOCKED before
     */
    private record Running(Fill fill, boolean askedFor, Promise<Void> end) {}

    public boolean isIdle() {
        return running.isEmpty() && ingest.isIdle();
    }

    /**
     * Returns the fill of a region: a completed one if the region is CACHED, the one in progress,
     * or a new one. Must not be called while the region is EVICTING.
     *
     * @param urgency raises the priority of a fill in progress if it is higher
     */
    public Promise<Void> of(RegionName region, Urgency urgency) {
        Running present = running.get(region);
        if (present != null) {
            if (urgency == Urgency.INTERACTIVE) {
                present.fill().hurry();
            }
            return present.end();
        }
        if (state.state(region) == State.CACHED) {
            return Workflow.newPromise((Void) null);
        }
        State before = state.state(region);
        UnfinishedFill left = unfinished.remove(region);
        if (left == null || before != State.WARMING) {
            boolean askedFor = before == State.ABSENT || before == State.BLOCKED;
            return begin(new UnfinishedFill(region, urgency, askedFor));
        }
        return begin(
                new UnfinishedFill(
                        region,
                        left.urgency() == Urgency.INTERACTIVE ? left.urgency() : urgency,
                        left.askedFor()));
    }

    private Promise<Void> begin(UnfinishedFill filling) {
        RegionName region = filling.region();
        state.apply(new Ensured(region));
        Fill fill =
                new Fill(state, ingest, coverageQueries, region, () -> halting, filling.urgency());
        Promise<Void> end =
                Async.procedure(
                        () -> {
                            try {
                                fill.run();
                            } finally {
                                running.remove(region);
                            }
                        });
        running.put(region, new Running(fill, filling.askedFor(), end));
        return end;
    }

    /** As {@link #of(RegionName, Urgency)}, for a caller that waits. */
    public Promise<Void> of(RegionName region) {
        return of(region, Urgency.INTERACTIVE);
    }

    /** Continues a fill of an earlier run, unless a caller of this run has done so already. */
    public void takeUp(RegionName region) {
        if (!running.containsKey(region)) {
            UnfinishedFill left = unfinished.get(region);
            var _ = of(region, left == null ? Urgency.INTERACTIVE : left.urgency());
        }
    }

    /** Stops all fills, for the next run. Must not be called during an ingest. */
    public void halt() {
        halting = true;
        running.values().forEach(each -> each.fill().interrupt("the next run continues it"));
    }

    public boolean isHalting() {
        return halting;
    }

    /** Returns whether all work has ended since {@link #halt}. */
    public boolean isHalted() {
        return halting
                && ingest.isIdle()
                && running.values().stream().noneMatch(each -> each.fill().isWorking());
    }

    /** Returns the fills that the next run has to take up. */
    public List<UnfinishedFill> left() {
        return running.entrySet().stream()
                .map(
                        each ->
                                new UnfinishedFill(
                                        each.getKey(),
                                        each.getValue().fill().urgency(),
                                        each.getValue().askedFor()))
                .toList();
    }

    /**
     * Returns whether the region has no eviction in progress, and no fill that is about to stop for
     * one.
     */
    public boolean isSettled(RegionName region) {
        Running present = running.get(region);
        return state.state(region) != State.EVICTING
                && (present == null || !present.fill().isStopping());
    }

    /** Returns whether a request began the fill of the region, and not a loss of chunks. */
    public boolean wasAskedFor(RegionName region) {
        Running present = running.get(region);
        UnfinishedFill left = unfinished.get(region);
        return present != null ? present.askedFor() : left != null && left.askedFor();
    }

    /** Stops the fill of a region for an eviction, and returns when no fill runs there. */
    public void stop(RegionName region) {
        Running present = running.get(region);
        if (present != null) {
            present.fill().stop();
        }
    }
}
