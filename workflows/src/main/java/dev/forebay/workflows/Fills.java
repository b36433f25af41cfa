package dev.forebay.workflows;

import dev.forebay.lifecycle.Event.Ensured;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.Unfinished;
import dev.forebay.workflows.message.Urgency;
import io.temporal.workflow.Async;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The fillings that are under way: one per region, however many wait for it. */
final class Fills {

    private final VersionState state;
    private final Ingest ingest;
    private final Looks looks;
    private final Changes changes;
    private final Map<RegionName, Running> running = new LinkedHashMap<>();
    private final Map<RegionName, Unfinished> unfinished = new LinkedHashMap<>();
    private boolean halting;

    /**
     * @param left what the run before has left: whoever is first in this one goes on with it
     */
    Fills(VersionState state, Ingest ingest, Looks looks, Changes changes, List<Unfinished> left) {
        left.forEach(each -> unfinished.put(each.region(), each));
        this.state = state;
        this.ingest = ingest;
        this.looks = looks;
        this.changes = changes;
    }

    /**
     * @param askedFor whether the region had given up the version, or never had it
     */
    private record Running(Fill fill, boolean askedFor, Promise<Void> end) {}

    boolean isIdle() {
        return running.isEmpty() && ingest.isIdle();
    }

    /**
     * The filling of a region: done already if the region is CACHED, else the one under way, else a
     * new one. Not to be called while the region is EVICTING.
     *
     * @param urgency a filling that is under way hurries from now on if it is more urgent than that
     */
    Promise<Void> of(RegionName region, Urgency urgency) {
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
        Unfinished left = unfinished.remove(region);
        if (left == null || before != State.WARMING) {
            boolean askedFor = before == State.ABSENT || before == State.BLOCKED;
            return begin(new Unfinished(region, urgency, askedFor));
        }
        return begin(
                new Unfinished(
                        region,
                        left.urgency() == Urgency.INTERACTIVE ? left.urgency() : urgency,
                        left.askedFor()));
    }

    private Promise<Void> begin(Unfinished filling) {
        RegionName region = filling.region();
        state.apply(new Ensured(region));
        Fill fill =
                new Fill(state, ingest, looks, changes, region, () -> halting, filling.urgency());
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

    /** As {@link #of(RegionName, Urgency)}, for somebody who waits. */
    Promise<Void> of(RegionName region) {
        return of(region, Urgency.INTERACTIVE);
    }

    /**
     * Goes on with a filling of an earlier run, unless somebody has asked this one for it already.
     */
    void takeUp(RegionName region) {
        if (!running.containsKey(region)) {
            Unfinished left = unfinished.get(region);
            var _ = of(region, left == null ? Urgency.INTERACTIVE : left.urgency());
        }
    }

    /** Stops all of them, for the next run. Not to be called while the version is listed. */
    void halt() {
        halting = true;
        running.values().forEach(each -> each.fill().interrupt("the next run goes on with it"));
    }

    boolean isHalting() {
        return halting;
    }

    /** Whether nothing is at work any more since {@link #halt}. */
    boolean isHalted() {
        return halting
                && ingest.isIdle()
                && running.values().stream().noneMatch(each -> each.fill().isWorking());
    }

    /** What the next run has to go on with. */
    List<Unfinished> left() {
        return running.entrySet().stream()
                .map(
                        each ->
                                new Unfinished(
                                        each.getKey(),
                                        each.getValue().fill().urgency(),
                                        each.getValue().askedFor()))
                .toList();
    }

    /**
     * Whether no eviction is under way in the region, nor a filling that is about to learn of one.
     */
    boolean isSettled(RegionName region) {
        Running present = running.get(region);
        return state.state(region) != State.EVICTING
                && (present == null || !present.fill().isStopping());
    }

    /** Whether the region is filled because somebody asked, and not because it lost something. */
    boolean wasAskedFor(RegionName region) {
        Running present = running.get(region);
        Unfinished left = unfinished.get(region);
        return present != null ? present.askedFor() : left != null && left.askedFor();
    }

    /** Returns when nothing fills the region any more; an eviction has begun there. */
    void stop(RegionName region) {
        Running present = running.get(region);
        if (present != null) {
            present.fill().stop();
        }
    }
}
