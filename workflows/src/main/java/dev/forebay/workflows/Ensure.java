package dev.forebay.workflows;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.activity.RegionActivities.Coverage;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.Terms;
import dev.forebay.workflows.message.Terms.OnDeadline;
import io.temporal.failure.ApplicationFailure;
import io.temporal.failure.CanceledFailure;
import io.temporal.failure.TemporalFailure;
import io.temporal.workflow.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One {@code ensureCached} in one region: waits for as much of the version as was asked for, and
 * for the pin to be held, both at the same instant; or for the deadline.
 *
 * <p>The pin is taken as soon as the version is mounted, so that no eviction comes between the
 * filling and the pin; if it is lost again, because the filling took longer than its lease, or if
 * an eviction was first, another round begins.
 */
final class Ensure {

    /** Each round is lost only against an eviction or a region that forgets. */
    private static final int MOST_ROUNDS = 20;

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** How old a proof may be, so that a crowd of callers need not ask the workers one by one. */
    private static final Duration BELIEVED = Duration.ofSeconds(10);

    /** How long a caller whose deadline has passed waits to learn how far it came. */
    private static final Duration LAST_LOOK = Duration.ofSeconds(5);

    private final VersionState state;
    private final Fills fills;
    private final Pins pins;
    private final Proofs proofs;
    private final Looks looks;
    private final Receipts receipts;
    private final Deadline deadline;
    private final RegionName region;
    private final Terms terms;
    private final @Nullable RequestedPin pin;

    /**
     * @param request of one region
     * @param taker for whom its pin is taken
     */
    Ensure(
            VersionState state,
            Fills fills,
            Pins pins,
            Proofs proofs,
            Looks looks,
            Receipts receipts,
            Deadline deadline,
            EnsureRequest request,
            Taker taker) {
        this.state = state;
        this.fills = fills;
        this.pins = pins;
        this.proofs = proofs;
        this.looks = looks;
        this.receipts = receipts;
        this.deadline = deadline;
        this.region = request.region();
        this.terms = request.terms();
        PinRequest wanted = request.pin();
        this.pin = wanted == null ? null : new RequestedPin(pins, wanted, taker, deadline);
    }

    /**
     * @throws ApplicationFailure with the code of what the region is BLOCKED by; with EVICTING if
     *     the version was evicted while it was being filled; with DEADLINE_EXCEEDED; with CANCELLED
     *     if it was taken back
     * @throws CanceledFailure if the deadline was given up
     */
    Receipt run() {
        try {
            return rounds();
        } catch (TemporalFailure failure) {
            if (pins.areNeverForgotten()) {
                giveBack();
            }
            throw failure;
        }
    }

    private Receipt rounds() {
        for (int round = 1; round <= MOST_ROUNDS; round++) {
            if (deadline.await(() -> fills.isSettled(region))) {
                Promise<Void> fill = fills.of(region, terms.urgency());
                pinWhileFilling(fill);
                Optional<Receipt> receipt = whileFilling(fill).or(this::whole);
                if (receipt.isPresent()) {
                    return receipt.get();
                }
            }
            if (deadline.isOver()) {
                return late();
            }
            deadline.pause(PAUSE.multipliedBy(round));
        }
        throw Failures.refusal(
                ErrorCode.UNAVAILABLE,
                "%s did not stay in %s long enough to be handed out, %d times in a row: others take its room; 'forebay ensure %s --region %s --pin-for 1h' holds it"
                        .formatted(state.version(), region, MOST_ROUNDS, state.version(), region));
    }

    private void pinWhileFilling(Promise<Void> fill) {
        if (pin == null) {
            return;
        }
        if (!pins.areNeverForgotten()) {
            pin.forget();
        }
        if (fill.isCompleted()) {
            return;
        }
        deadline.await(() -> fill.isCompleted() || state.isMounted(region));
        if (!fill.isCompleted() && state.isMounted(region)) {
            pin.takeEarly();
        }
    }

    /**
     * Waits until the filling has ended, or nobody waits any more; a receipt if a part of the
     * version is enough, and is there before.
     */
    private Optional<Receipt> whileFilling(Promise<Void> fill) {
        long looked = -1;
        while (true) {
            long last = looked;
            boolean isNew = deadline.await(() -> fill.isCompleted() || mayBeEnough(last));
            if (fill.isCompleted()) {
                awaitFill(fill);
                return Optional.empty();
            }
            if (!isNew) {
                return Optional.empty();
            }
            looked = bytesCached();
            Optional<Receipt> part = part();
            if (part.isPresent()) {
                return part;
            }
        }
    }

    private void awaitFill(Promise<Void> fill) {
        try {
            fill.get();
        } catch (TemporalFailure failure) {
            giveBack();
            throw failure;
        }
    }

    /** Once the filling has ended. */
    private Optional<Receipt> whole() {
        if (deadline.isOver() && state.state(region) != State.CACHED) {
            return Optional.empty();
        }
        if (pin == null) {
            return isComplete(Instant.EPOCH)
                    ? Optional.of(receipts.ofAll(region, null))
                    : Optional.empty();
        }
        return pin.isTaken() && isComplete()
                ? pin.grant().map(held -> receipts.ofAll(region, held))
                : Optional.empty();
    }

    /** While a region is pinned it drops nothing: what its workers say they hold stays. */
    private boolean isComplete() {
        try {
            return isComplete(pins.heldSince(region));
        } catch (ApplicationFailure unavailable) {
            giveBack();
            throw unavailable;
        }
    }

    private boolean isComplete(Instant since) {
        Instant believed = VersionState.now().minus(BELIEVED);
        return proofs.isComplete(region, since.isAfter(believed) ? since : believed, deadline);
    }

    /** Before the filling has ended. */
    private Optional<Receipt> part() {
        if (pin != null && !pin.isTaken()) {
            return Optional.empty();
        }
        return looks.at(region, lookedAt(), deadline::isOver)
                .filter(this::isEnough)
                .filter(_ -> pin == null || held() != null)
                .map(there -> receipts.ofPart(region, there, held()));
    }

    /** Not before the region was pinned. */
    private Instant lookedAt() {
        return pin != null && pin.wasTaken() ? pins.heldSince(region) : Instant.EPOCH;
    }

    /**
     * Once the version is mounted, for it may share much with what is there; then whenever more was
     * filled.
     *
     * @param last what was filled when the region was asked last; negative if it was not yet
     */
    private boolean mayBeEnough(long last) {
        return terms.minCoverage() < 1
                && state.isMounted(region)
                && (last < 0
                        || (bytesCached() > last
                                && enough().filter(enough -> bytesCached() >= enough).isPresent()));
    }

    private boolean isEnough(Coverage there) {
        return there.complete()
                || (terms.minCoverage() < 1
                        && enough().filter(enough -> there.bytesVerified() >= enough).isPresent());
    }

    /** In bytes; empty as long as nobody knows how many there are. */
    private Optional<Double> enough() {
        return Optional.ofNullable(state.status().manifest())
                .map(ManifestRef::bytes)
                .map(bytes -> Math.ceil(terms.minCoverage() * bytes));
    }

    private long bytesCached() {
        return state.residency(region).bytesCached();
    }

    /** When nobody waits any more. */
    private Receipt late() {
        if (deadline.isTakenBack()) {
            giveBack();
            throw Failures.refusal(
                    ErrorCode.CANCELLED,
                    "the request for %s in %s was taken back: 'forebay ensure %s --region %s' asks for it again"
                            .formatted(state.version(), region, state.version(), region));
        }
        if (!deadline.hasCome()) {
            giveBack();
            throw new CanceledFailure("another region of the same request has failed");
        }
        Deadline patience = new Deadline(LAST_LOOK);
        if (pin != null && pins.areTakenLate()) {
            takeLate(pin, patience);
        }
        Optional<Coverage> there = looks.at(region, lookedAt(), patience::isOver);
        patience.lift();
        PinGrant held = held();
        if (there.filter(this::isEnough).isPresent() && (pin == null || held != null)) {
            return receipts.ofPart(region, there.get(), held);
        }
        Receipt cold = receipts.cold(region, there, held, terms.deadline());
        if (terms.onDeadline() == OnDeadline.FAIL) {
            giveBack();
            Problem why = Objects.requireNonNull(cold.cold());
            throw Failures.refusal(why);
        }
        return cold;
    }

    /** What is not mounted cannot be held; and who fails needs no pin on a part. */
    private void takeLate(RequestedPin wanted, Deadline patience) {
        if (!state.isMounted(region)) {
            wanted.giveBack();
        } else if (terms.onDeadline() == OnDeadline.RUN_COLD
                || state.state(region) == State.CACHED) {
            wanted.takeLate(patience);
        }
    }

    private @Nullable PinGrant held() {
        return pin == null ? null : pin.grant().orElse(null);
    }

    private void giveBack() {
        if (pin != null) {
            pin.giveBack();
        }
    }
}
