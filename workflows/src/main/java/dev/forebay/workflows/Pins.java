package dev.forebay.workflows;

import dev.forebay.lifecycle.Event.Lost;
import dev.forebay.lifecycle.Event.PinEnded;
import dev.forebay.lifecycle.Event.PinGranted;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.Taken;
import dev.forebay.workflows.message.UnpinRequest;
import io.temporal.failure.ActivityFailure;
import io.temporal.failure.ApplicationFailure;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;

/**
 * Pins as the workflow believes them, taken and given back; the truth is in the region's etcd.
 * {@link PinWatch} follows them until they end.
 */
final class Pins {

    /** Bounds the workflow's state: a pin is at most about 1 KiB of it. */
    static final int MOST_PINS = 1_000;

    private static final Logger LOG = Workflow.getLogger(Pins.class);

    private final VersionState state;
    private final Fills fills;
    private final Changes changes;
    private final PinWatch watch;
    private final Instant begun = VersionState.now();
    private final Map<RegionName, Instant> heldSince = new LinkedHashMap<>();
    private final Takers takers;
    private final PinTurns turns = new PinTurns();
    private int underWay;

    /**
     * @param left for whom the run before has taken pins, and does not know whether they keep them
     */
    Pins(VersionState state, Fills fills, Changes changes, PinWatch watch, List<Taken> left) {
        this.state = state;
        this.fills = fills;
        this.changes = changes;
        this.watch = watch;
        this.takers = new Takers(left);
    }

    /** Whether none is just being taken or given back, of which the next run would not know. */
    boolean isIdle() {
        return underWay == 0;
    }

    /** Not in a run that is about to end: whoever asks the next one holds this one up no longer. */
    private void begin() {
        Workflow.await(() -> !fills.isHalting());
        underWay++;
    }

    /** Whether nobody who asks again for the same pin would get it. */
    boolean isRefusedForGood(ApplicationFailure refusal) {
        ErrorCode code = Failures.problem(refusal).code();
        return changes.pinsAreAnsweredSoon()
                && !code.retryable()
                && code != ErrorCode.EVICTING
                && code != ErrorCode.NOT_FOUND;
    }

    /** As {@link #take(PinRequest, Taker)}, for somebody who does not give it back by himself. */
    PinGrant take(PinRequest request) {
        return take(request, Taker.SOMEBODY);
    }

    /**
     * Takes a pin, or renews it.
     *
     * @param taker for whom: a request that fails gives back what it has taken
     * @throws ApplicationFailure EVICTING if an eviction came first; NOT_FOUND if the region does
     *     not know the version, which is then filled again
     */
    PinGrant take(PinRequest request, Taker taker) {
        refuseTooMany(request);
        if (!changes.pinsAreTakenInTurn()) {
            return taken(request, taker);
        }
        PinKey key = PinKey.of(request);
        turns.beginTaking(key);
        try {
            return taken(request, taker);
        } finally {
            turns.finishTaking(key);
        }
    }

    private PinGrant taken(PinRequest request, Taker taker) {
        RegionName region = request.region();
        Duration left;
        begin();
        try {
            left =
                    Steps.pin(state.version(), region, "pin for " + request.holder())
                            .pin(state.version(), request);
        } catch (ActivityFailure failure) {
            Problem problem = Failures.problem(failure);
            if (problem.code() == ErrorCode.NOT_FOUND && state.state(region) == State.CACHED) {
                state.apply(new Lost(region));
                fills.of(region);
            }
            throw Failures.refusal(problem);
        } finally {
            underWay--;
        }
        PinGrant grant =
                new PinGrant(
                        region,
                        request.id(),
                        request.holder(),
                        request.reason(),
                        VersionState.now().plus(left),
                        request.job(),
                        takenNow(region, request.id()));
        // An eviction that began meanwhile is refused if the pin was first in etcd. If it is not,
        // the pin has ended again already.
        state.awaitNotEvicting(region);
        if (state.pins(region).isEmpty()) {
            heldSince.put(region, VersionState.now());
        }
        takers.add(taker, grant, state.pin(region, grant.id()).isPresent());
        state.apply(new PinGranted(grant));
        if (!holds(grant)) {
            throw Failures.refusal(
                    ErrorCode.EVICTING,
                    "%s was evicted from %s before it was pinned: 'forebay ensure %s --region %s --pin-for 1h' brings it back"
                            .formatted(state.version(), region, state.version(), region));
        }
        watch.follow(region);
        return grant;
    }

    /** Later than when it was taken before. */
    private Instant takenNow(RegionName region, String id) {
        Instant now = VersionState.now();
        return state.pin(region, id)
                .map(PinGrant::takenAt)
                .filter(before -> !before.isBefore(now))
                .map(before -> before.plusMillis(1))
                .orElse(now);
    }

    /**
     * Since when the region has been pinned without a break, by whomever. Pins that an earlier run
     * took count from this run's beginning.
     */
    Instant heldSince(RegionName region) {
        return heldSince.getOrDefault(region, begun);
    }

    /** Whether the pin is believed alive, as it was granted or renewed. */
    boolean holds(PinGrant grant) {
        return state.pin(grant.region(), grant.id()).isPresent();
    }

    /** Ends a pin, also one that the workflow does not believe alive. */
    void release(UnpinRequest request) {
        RegionName region = request.region();
        String id = request.id();
        if (!changes.pinsAreTakenInTurn()) {
            end(region, id);
            return;
        }
        PinKey key = new PinKey(region, id);
        turns.beginEnding(key);
        try {
            if (!wasTakenSince(request)) {
                end(region, id);
            }
        } finally {
            turns.finishEnding(key);
        }
    }

    private boolean wasTakenSince(UnpinRequest request) {
        Instant last =
                state.pin(request.region(), request.id()).map(PinGrant::takenAt).orElse(null);
        return request.takenAt() != null && last != null && last.isAfter(request.takenAt());
    }

    private void end(RegionName region, String id) {
        if (state.state(region) == State.ABSENT) {
            return;
        }
        begin();
        try {
            Steps.pin(state.version(), region, "unpin").unpin(state.version(), id);
        } catch (ActivityFailure failure) {
            throw Failures.refusal(Failures.problem(failure));
        } finally {
            underWay--;
        }
        state.apply(new PinEnded(region, id, VersionState.now()));
    }

    /**
     * Ends a pin whose taker learns in another way that he has none; not one that others have
     * taken, too, before him or after.
     */
    void giveBack(PinGrant grant, Taker taker) {
        if (!changes.pinsAreTakenInTurn()) {
            if (takers.remove(taker, grant) || !changes.pinsAreGivenBackByWhoTookThem()) {
                endOrLeave(grant);
            }
            return;
        }
        PinKey key = PinKey.of(grant);
        turns.beginEnding(key);
        try {
            if (takers.hasAlone(taker, key)) {
                endOrLeave(grant);
            }
            // Not before: what a run does not come to is left to the next one.
            takers.remove(taker, grant);
        } finally {
            turns.finishEnding(key);
        }
    }

    /** Ends whatever somebody alone has taken, in this run or the one before. */
    void giveBackAll(Taker taker) {
        state.status().pins().stream()
                .filter(pin -> takers.has(taker, PinKey.of(pin)))
                .toList()
                .forEach(pin -> giveBack(pin, taker));
    }

    private void endOrLeave(PinGrant grant) {
        try {
            end(grant.region(), grant.id());
        } catch (ApplicationFailure unavailable) {
            // Its lease ends it; the caller is to learn why his request failed.
            LOG.warn("pin {} is left to its lease: {}", grant.id(), unavailable.getMessage());
        }
    }

    /** The pin that somebody has taken in an earlier run, if it is believed alive. */
    Optional<PinGrant> left(PinRequest request, Taker taker) {
        return takers.has(taker, PinKey.of(request))
                ? state.pin(request.region(), request.id())
                : Optional.empty();
    }

    /**
     * For whom the next run has to give pins back.
     *
     * @param waits whether a request, by its id, is expected to ask it
     */
    List<Taken> left(Predicate<String> waits) {
        return takers.left(state.status().pins(), waits);
    }

    /** Whether what a request has taken is given back however it fails. */
    boolean areNeverForgotten() {
        return changes.pinsAreTakenInTurn();
    }

    /** Whether a request whose deadline has come still tries to have its pin. */
    boolean areTakenLate() {
        return changes.lateReceiptsArePinned();
    }

    private void refuseTooMany(PinRequest request) {
        if (state.status().pins().size() >= MOST_PINS
                && state.pin(request.region(), request.id()).isEmpty()) {
            throw Failures.refusal(
                    ErrorCode.CAPACITY_EXCEEDED,
                    "%s has %d pins already, the most a version can have: 'forebay pins --leaked' lists those whose holders seem to be gone"
                            .formatted(state.version(), MOST_PINS));
        }
    }
}
