package dev.forebay.workflows;

import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;
import io.temporal.failure.ApplicationFailure;
import io.temporal.failure.TemporalFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The pin that one request wants in one region, from its taking to its giving back. */
final class RequestedPin {

    private final Pins pins;
    private final PinRequest wanted;
    private final Taker taker;
    private final Deadline deadline;
    private @Nullable PinGrant held;

    /** What the region had not answered when the time came. */
    private @Nullable Promise<PinGrant> unanswered;

    /**
     * @param taker for whom it is taken; what he has taken in an earlier run is his
     * @param deadline until when he waits
     */
    RequestedPin(Pins pins, PinRequest wanted, Taker taker, Deadline deadline) {
        this.pins = pins;
        this.wanted = wanted;
        this.taker = taker;
        this.deadline = deadline;
        this.held = pins.left(wanted, taker).orElse(null);
    }

    /**
     * Takes it before it is needed, so that nobody evicts what is being filled.
     *
     * @throws ApplicationFailure if nobody who asks again would get it
     */
    void takeEarly() {
        if (pins.areNeverForgotten() && isFresh()) {
            return;
        }
        try {
            held = take();
        } catch (ApplicationFailure refused) {
            if (pins.isRefusedForGood(refused)) {
                throw refused;
            }
            // The one that counts is taken when the filling is done.
        }
    }

    /**
     * Whether it is held, with half of its lease to come back and renew; if not, it is taken.
     *
     * @throws ApplicationFailure as {@link Pins#take}, but for what another round may do better
     */
    boolean isTaken() {
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

    /** The pin, if it is believed alive. */
    Optional<PinGrant> grant() {
        return Optional.ofNullable(held).filter(pins::holds);
    }

    /** Whether it was taken, though it may have ended since. */
    boolean wasTaken() {
        return held != null;
    }

    /**
     * When the time has come: one more try to have it, for a receipt of what is there.
     *
     * @param patience until when the region may answer; what comes later is given back
     */
    void takeLate(Deadline patience) {
        if (unanswered == null && isFresh()) {
            return;
        }
        Promise<PinGrant> taking =
                unanswered != null ? unanswered : Async.function(() -> pins.take(wanted, taker));
        unanswered = null;
        if (patience.await(taking::isCompleted)) {
            try {
                held = taking.get();
            } catch (TemporalFailure refused) {
                Workflow.getLogger(RequestedPin.class).debug("it was not taken", refused);
            }
        } else if (grant().isEmpty()) {
            giveBackLater(taking, null);
        }
    }

    void giveBack() {
        PinGrant grant = held;
        Promise<PinGrant> taking = unanswered;
        held = null;
        unanswered = null;
        if (taking != null) {
            giveBackLater(taking, grant);
        } else if (grant != null) {
            pins.giveBack(grant, taker);
        }
    }

    /** At the beginning of a round, under earlier code: then a later one gives nothing back. */
    void forget() {
        held = null;
    }

    /** Empty-handed if nobody waits any more before the region has answered. */
    private @Nullable PinGrant take() {
        if (!deadline.isSet()) {
            return pins.take(wanted, taker);
        }
        if (pins.areTakenLate() && deadline.isOver()) {
            return grant().orElse(null);
        }
        Promise<PinGrant> taking = Async.function(() -> pins.take(wanted, taker));
        if (deadline.await(taking::isCompleted)) {
            return taking.get();
        }
        if (pins.areTakenLate()) {
            unanswered = taking;
            return grant().orElse(null);
        }
        giveBackLater(taking, pins.areNeverForgotten() ? held : null);
        return null;
    }

    private void giveBackLater(Promise<PinGrant> taking, @Nullable PinGrant before) {
        var _ = Async.procedure(() -> giveBack(taking, before));
    }

    /**
     * @param before what is given back if it could not be taken again
     */
    private void giveBack(Promise<PinGrant> taking, @Nullable PinGrant before) {
        PinGrant last;
        try {
            last = taking.get();
        } catch (TemporalFailure refused) {
            Workflow.getLogger(RequestedPin.class).debug("it was not taken", refused);
            last = before;
        }
        if (last != null) {
            pins.giveBack(last, taker);
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
