package dev.forebay.workflows.pin;

import dev.forebay.workflows.Failures;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.state.CallerDeadline;
import dev.forebay.workflows.state.VersionState;
import io.temporal.failure.ApplicationFailure;
import io.temporal.failure.TemporalFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The pin that one request wants in one region, from its taking to its release. */
public final class RequestedPin {

    private final VersionPins pins;
    private final PinRequest wanted;
    private final PinRequester requester;
    private final CallerDeadline deadline;
    private @Nullable PinGrant held;

    /** A pin call that the region had not answered when the deadline passed. */
    private @Nullable Promise<PinGrant> unanswered;

    /**
     * @param requester the request that takes the pin; a pin that it took in an earlier run counts
     *     as its own
     * @param deadline until when it waits
     */
    public RequestedPin(
            VersionPins pins, PinRequest wanted, PinRequester requester, CallerDeadline deadline) {
        this.pins = pins;
        this.wanted = wanted;
        this.requester = requester;
        this.deadline = deadline;
        this.held = pins.left(wanted, requester).orElse(null);
    }

    /**
     * Takes the pin before the fill has ended, so that no eviction removes what is being filled.
     *
     * @throws ApplicationFailure if repeating the request cannot succeed
     */
    public void takeEarly() {
        if (isFresh()) {
            return;
        }
        try {
            held = take();
        } catch (ApplicationFailure refused) {
            if (VersionPins.isRefusedForGood(refused)) {
                throw refused;
            }
            // The pin that counts is taken when the fill is done.
        }
    }

    /**
     * Returns whether the pin is held with at least half of its lease left, which gives the holder
     * time to renew. If it is not, takes it first.
     *
     * @throws ApplicationFailure as {@link VersionPins#take}, except for failures that another
     *     round may avoid
     */
    public boolean isTaken() {
        if (isFresh()) {
            return true;
        }
        try {
            held = take();
        } catch (ApplicationFailure refused) {
            held =
                    switch (Failures.problem(refused).code()) {
                        case EVICTING, NOT_FOUND -> null;
                        default -> throw refused;
                    };
        }
        return held != null;
    }

    /** Returns the pin, if the workflow believes it alive. */
    public Optional<PinGrant> grant() {
        return Optional.ofNullable(held).filter(pins::holds);
    }

    /** Returns whether the pin was taken. It may have ended since. */
    public boolean wasTaken() {
        return held != null;
    }

    /**
     * Tries once more to take the pin after the deadline, for a receipt of a partial copy.
     *
     * @param timeout until when the region may answer; a pin that arrives later is released
     */
    public void takeLate(CallerDeadline timeout) {
        if (unanswered == null && isFresh()) {
            return;
        }
        Promise<PinGrant> taking =
                unanswered != null
                        ? unanswered
                        : Async.function(() -> pins.take(wanted, requester));
        unanswered = null;
        if (timeout.await(taking::isCompleted)) {
            try {
                held = taking.get();
            } catch (TemporalFailure refused) {
                Workflow.getLogger(RequestedPin.class).debug("the pin was not taken", refused);
            }
        } else if (grant().isEmpty()) {
            releaseLater(taking, null);
        }
    }

    public void release() {
        PinGrant grant = held;
        Promise<PinGrant> taking = unanswered;
        held = null;
        unanswered = null;
        if (taking != null) {
            releaseLater(taking, grant);
        } else if (grant != null) {
            pins.release(grant, requester);
        }
    }

    /** Takes the pin. Null if the wait ends before the region has answered. */
    private @Nullable PinGrant take() {
        if (!deadline.isSet()) {
            return pins.take(wanted, requester);
        }
        if (deadline.isOver()) {
            return grant().orElse(null);
        }
        Promise<PinGrant> taking = Async.function(() -> pins.take(wanted, requester));
        if (deadline.await(taking::isCompleted)) {
            return taking.get();
        }
        unanswered = taking;
        return grant().orElse(null);
    }

    private void releaseLater(Promise<PinGrant> taking, @Nullable PinGrant before) {
        var _ = Async.procedure(() -> release(taking, before));
    }

    /**
     * @param before the pin to release if the new one could not be taken
     */
    private void release(Promise<PinGrant> taking, @Nullable PinGrant before) {
        PinGrant last;
        try {
            last = taking.get();
        } catch (TemporalFailure refused) {
            Workflow.getLogger(RequestedPin.class).debug("the pin was not taken", refused);
            last = before;
        }
        if (last != null) {
            pins.release(last, requester);
        }
    }

    private boolean isFresh() {
        return grant().filter(
                        grant ->
                                VersionState.now()
                                        .plus(wanted.lease().dividedBy(2))
                                        .isBefore(grant.expiresAt()))
                .isPresent();
    }
}
