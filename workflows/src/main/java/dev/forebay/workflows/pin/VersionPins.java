package dev.forebay.workflows.pin;

import dev.forebay.lifecycle.VersionEvent.Lost;
import dev.forebay.lifecycle.VersionEvent.PinEnded;
import dev.forebay.lifecycle.VersionEvent.PinGranted;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.fill.Fills;
import dev.forebay.workflows.input.ProvisionalPin;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.UnpinRequest;
import dev.forebay.workflows.state.VersionState;
import dev.forebay.workflows.support.ActivityStubs;
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
 * Takes and releases pins, and keeps the workflow's copy of them. The region's etcd owns the truth.
 * {@link PinWatch} follows the pins until they end.
 */
public final class VersionPins {

    /** Bounds the workflow's state: a pin takes at most about 1 KiB of it. */
    public static final int MOST_PINS = 1_000;

    private static final Logger LOG = Workflow.getLogger(VersionPins.class);

    private final VersionState state;
    private final Fills fills;
    private final PinWatch watch;
    private final Instant begun = VersionState.now();
    private final Map<RegionName, Instant> heldSince = new LinkedHashMap<>();
    private final PinRequesters requesters;
    private final PinLocks locks = new PinLocks();
    private int underWay;

    /**
     * @param left the pins that the previous run took for requests without an answer
     */
    public VersionPins(VersionState state, Fills fills, PinWatch watch, List<ProvisionalPin> left) {
        this.state = state;
        this.fills = fills;
        this.watch = watch;
        this.requesters = new PinRequesters(left);
    }

    /** Returns whether no pin is being taken or released, which the next run would not know of. */
    public boolean isIdle() {
        return underWay == 0;
    }

    /** Waits in a run that is about to end, so that new pin requests cannot delay its end. */
    private void begin() {
        Workflow.await(() -> !fills.isHalting());
        underWay++;
    }

    /** Returns whether repeating the pin request cannot succeed. */
    static boolean isRefusedForGood(ApplicationFailure refusal) {
        ErrorCode code = Failures.problem(refusal).code();
        return !code.retryable() && code != ErrorCode.EVICTING && code != ErrorCode.NOT_FOUND;
    }

    /**
     * As {@link #take(PinRequest, PinRequester)}, for a caller that never releases the pin by
     * itself.
     */
    public PinGrant take(PinRequest request) {
        return take(request, PinRequester.NO_REQUEST);
    }

    /**
     * Takes or renews a pin.
     *
     * @param requester the request that it is taken for: if that fails, it releases the pin
     * @throws ApplicationFailure EVICTING if an eviction came first; NOT_FOUND if the region does
     *     not know the version, which is then filled again
     */
    public PinGrant take(PinRequest request, PinRequester requester) {
        refuseTooMany(request);
        PinKey key = PinKey.of(request);
        locks.beginTaking(key);
        try {
            return taken(request, requester);
        } finally {
            locks.finishTaking(key);
        }
    }

    private PinGrant taken(PinRequest request, PinRequester requester) {
        RegionName region = request.region();
        Duration left;
        begin();
        try {
            left =
                    ActivityStubs.pin(state.version(), region, "pin for " + request.holder())
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
        // An eviction that began meanwhile is refused if the pin reached etcd first. If the
        // eviction was first, the pin has ended again by now.
        state.awaitNotEvicting(region);
        if (state.pins(region).isEmpty()) {
            heldSince.put(region, VersionState.now());
        }
        requesters.add(requester, grant, state.pin(region, grant.id()).isPresent());
        state.apply(new PinGranted(grant));
        if (!holds(grant)) {
            throw Failures.refusal(
                    ErrorCode.EVICTING,
                    "%s was evicted from %s before it was pinned: fill and pin it with 'forebay ensure %s --region %s --pin-for 1h'"
                            .formatted(state.version(), region, state.version(), region));
        }
        watch.follow(region);
        return grant;
    }

    /** Returns a time that is later than that of the previous take. */
    private Instant takenNow(RegionName region, String id) {
        Instant now = VersionState.now();
        return state.pin(region, id)
                .map(PinGrant::takenAt)
                .filter(before -> !before.isBefore(now))
                .map(before -> before.plusMillis(1))
                .orElse(now);
    }

    /**
     * Returns since when the region has been pinned without a gap, by any holders. Pins that an
     * earlier run took count from the beginning of this run.
     */
    public Instant heldSince(RegionName region) {
        return heldSince.getOrDefault(region, begun);
    }

    /** Returns whether the workflow believes the pin alive, as granted or renewed. */
    public boolean holds(PinGrant grant) {
        return state.pin(grant.region(), grant.id()).isPresent();
    }

    /** Ends a pin, even if the workflow does not believe it alive. */
    public void release(UnpinRequest request) {
        RegionName region = request.region();
        String id = request.id();
        PinKey key = new PinKey(region, id);
        locks.beginEnding(key);
        try {
            if (!wasTakenSince(request)) {
                end(region, id);
            }
        } finally {
            locks.finishEnding(key);
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
            ActivityStubs.pin(state.version(), region, "unpin").unpin(state.version(), id);
        } catch (ActivityFailure failure) {
            throw Failures.refusal(Failures.problem(failure));
        } finally {
            underWay--;
        }
        state.apply(new PinEnded(region, id, VersionState.now()));
    }

    /**
     * Ends a pin whose request fails and reports that. Keeps it if another request has taken it as
     * well, before or after.
     */
    public void release(PinGrant grant, PinRequester requester) {
        PinKey key = PinKey.of(grant);
        locks.beginEnding(key);
        try {
            if (requesters.hasAlone(requester, key)) {
                endOrLeave(grant);
            }
            // Removes the entry last: if this run ends first, the next one has to release the pin.
            requesters.remove(requester, key);
        } finally {
            locks.finishEnding(key);
        }
    }

    /** Ends every pin that this request alone has taken, in this run or in the previous one. */
    public void releaseAll(PinRequester requester) {
        state.status().pins().stream()
                .filter(pin -> requesters.has(requester, PinKey.of(pin)))
                .toList()
                .forEach(pin -> release(pin, requester));
    }

    private void endOrLeave(PinGrant grant) {
        try {
            end(grant.region(), grant.id());
        } catch (ApplicationFailure unavailable) {
            // The lease ends the pin. The caller must learn why its request failed, not this
            // failure.
            LOG.warn(
                    "Cannot release pin {}, which ends with its lease: {}",
                    grant.id(),
                    unavailable.getMessage());
        }
    }

    /**
     * Returns the pin that the request took in an earlier run, if the workflow believes it alive.
     */
    public Optional<PinGrant> left(PinRequest request, PinRequester requester) {
        return requesters.has(requester, PinKey.of(request))
                ? state.pin(request.region(), request.id())
                : Optional.empty();
    }

    /**
     * Returns the pins that the next run may have to release.
     *
     * @param waits whether the request with this id is expected to arrive in the next run
     */
    public List<ProvisionalPin> left(Predicate<String> waits) {
        return requesters.left(state.status().pins(), waits);
    }

    private void refuseTooMany(PinRequest request) {
        if (state.status().pins().size() >= MOST_PINS
                && state.pin(request.region(), request.id()).isEmpty()) {
            throw Failures.refusal(
                    ErrorCode.CAPACITY_EXCEEDED,
                    "%s already has %d pins, which is the limit: 'forebay pins --leaked' lists pins whose owners seem to be gone"
                            .formatted(state.version(), MOST_PINS));
        }
    }
}
