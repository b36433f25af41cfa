package dev.forebay.workflows.version;

import dev.forebay.model.Backoff;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.activity.RegionActivities.Coverage;
import dev.forebay.workflows.fill.CoverageProofs;
import dev.forebay.workflows.fill.CoverageQueries;
import dev.forebay.workflows.fill.Fills;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.RequestTerms;
import dev.forebay.workflows.message.RequestTerms.OnDeadline;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.pin.PinRequester;
import dev.forebay.workflows.pin.RequestedPin;
import dev.forebay.workflows.pin.VersionPins;
import dev.forebay.workflows.state.CallerDeadline;
import dev.forebay.workflows.state.VersionState;
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
 * Serves one {@code ensureCached} in one region. It waits until the requested coverage is present
 * and the pin is held, both at the same instant, or until the deadline.
 *
 * <p>It takes the pin as soon as the version is mounted, so that no eviction comes between the fill
 * and the pin. If a fill outlasts the pin's lease, or if an eviction came first, another round
 * begins.
 */
final class EnsureInRegion {

    /** A round is repeated only if an eviction came first, or the region lost the mount. */
    private static final int MOST_ROUNDS = 20;

    private static final Backoff BACKOFF =
            new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(20));

    /** The timeout of the last query for the coverage, after the caller's deadline. */
    private static final Duration LAST_QUERY_TIMEOUT = Duration.ofSeconds(5);

    private final VersionState state;
    private final Fills fills;
    private final VersionPins pins;
    private final CoverageProofs proofs;
    private final CoverageQueries coverageQueries;
    private final Receipts receipts;
    private final CallerDeadline deadline;
    private final RegionName region;
    private final RequestTerms terms;
    private final @Nullable RequestedPin pin;

    /**
     * @param request of one region
     * @param requester the request that the pin is taken for
     */
    EnsureInRegion(
            VersionState state,
            Fills fills,
            VersionPins pins,
            CoverageProofs proofs,
            CoverageQueries coverageQueries,
            Receipts receipts,
            CallerDeadline deadline,
            EnsureRequest request,
            PinRequester requester) {
        this.state = state;
        this.fills = fills;
        this.pins = pins;
        this.proofs = proofs;
        this.coverageQueries = coverageQueries;
        this.receipts = receipts;
        this.deadline = deadline;
        this.region = request.region();
        this.terms = request.terms();
        PinRequest wanted = request.pin();
        this.pin = wanted == null ? null : new RequestedPin(pins, wanted, requester, deadline);
    }

    /**
     * @throws ApplicationFailure with the code of the BLOCKED region; EVICTING if the version was
     *     evicted during the fill; DEADLINE_EXCEEDED; CANCELLED if the client cancelled the request
     * @throws CanceledFailure if another region of the request has failed
     */
    Receipt run() {
        try {
            return rounds();
        } catch (TemporalFailure failure) {
            releasePin();
            throw failure;
        }
    }

    private Receipt rounds() {
        for (int round = 1; round <= MOST_ROUNDS; round++) {
            if (deadline.await(() -> fills.isSettled(region))) {
                Promise<Void> fill = fills.of(region, terms.urgency());
                pinWhileFilling(fill);
                Optional<Receipt> receipt = whileFilling(fill).or(this::completeReceipt);
                if (receipt.isPresent()) {
                    return receipt.get();
                }
            }
            if (deadline.isOver()) {
                return late();
            }
            deadline.pause(BACKOFF.after(round));
        }
        throw Failures.refusal(
                ErrorCode.UNAVAILABLE,
                "%s was evicted from %s before the receipt, %d times in a row, because other versions need the space: hold it with 'forebay ensure %s --region %s --pin-for 1h'"
                        .formatted(state.version(), region, MOST_ROUNDS, state.version(), region));
    }

    private void pinWhileFilling(Promise<Void> fill) {
        if (pin == null) {
            return;
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
     * Waits until the fill or the caller's wait has ended. Returns a receipt early if the request
     * accepts partial coverage and the region has it.
     */
    private Optional<Receipt> whileFilling(Promise<Void> fill) {
        long lastBytes = -1;
        while (true) {
            long last = lastBytes;
            boolean isNew = deadline.await(() -> fill.isCompleted() || mayBeEnough(last));
            if (fill.isCompleted()) {
                fill.get();
                return Optional.empty();
            }
            if (!isNew) {
                return Optional.empty();
            }
            lastBytes = bytesCached();
            Optional<Receipt> part = part();
            if (part.isPresent()) {
                return part;
            }
        }
    }

    /**
     * Returns the receipt of a complete copy after the fill has ended. Empty if another round is
     * needed.
     */
    private Optional<Receipt> completeReceipt() {
        if (deadline.isOver() && state.state(region) != State.CACHED) {
            return Optional.empty();
        }
        if (pin == null) {
            return isComplete(Instant.EPOCH)
                    ? Optional.of(receipts.ofAll(region, null))
                    : Optional.empty();
        }
        // A region drops nothing while it is pinned, so the workers' answer since the pin stays
        // true.
        return pin.isTaken() && isComplete(pins.heldSince(region))
                ? pin.grant().map(held -> receipts.ofAll(region, held))
                : Optional.empty();
    }

    private boolean isComplete(Instant since) {
        Instant believed = VersionState.now().minus(CoverageProofs.LONGEST_AGE);
        return proofs.isComplete(region, since.isAfter(believed) ? since : believed, deadline);
    }

    /**
     * Returns the receipt of a partial copy before the fill has ended, if its coverage suffices.
     */
    private Optional<Receipt> part() {
        if (pin != null && !pin.isTaken()) {
            return Optional.empty();
        }
        return coverageQueries
                .at(region, queriedAt(), deadline::isOver)
                .filter(this::isEnough)
                .filter(_ -> pin == null || held() != null)
                .map(there -> receipts.ofPart(region, there, held()));
    }

    /**
     * Returns the earliest acceptable time of a coverage answer: not before the region was pinned.
     */
    private Instant queriedAt() {
        return pin != null && pin.wasTaken() ? pins.heldSince(region) : Instant.EPOCH;
    }

    /**
     * Returns whether to ask for the coverage. The first question comes once the version is
     * mounted, because it may share chunks with other versions. Later ones follow the progress of
     * the fill.
     *
     * @param last the bytes filled when the region was last asked; negative before the first
     *     question
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

    /** Returns the requested coverage in bytes. Empty while there is no manifest. */
    private Optional<Double> enough() {
        return Optional.ofNullable(state.status().manifest())
                .map(ManifestRef::bytes)
                .map(bytes -> Math.ceil(terms.minCoverage() * bytes));
    }

    private long bytesCached() {
        return state.residency(region).bytesCached();
    }

    /** Answers a request whose wait is over. */
    private Receipt late() {
        if (deadline.isTakenBack()) {
            throw Failures.refusal(
                    ErrorCode.CANCELLED,
                    "the request for %s in %s was cancelled: send a new one with 'forebay ensure %s --region %s'"
                            .formatted(state.version(), region, state.version(), region));
        }
        if (!deadline.hasCome()) {
            throw new CanceledFailure("another region of the same request has failed");
        }
        CallerDeadline timeout = new CallerDeadline(LAST_QUERY_TIMEOUT);
        if (pin != null) {
            takeLate(pin, timeout);
        }
        Optional<Coverage> there = coverageQueries.at(region, queriedAt(), timeout::isOver);
        timeout.lift();
        PinGrant held = held();
        if (there.filter(this::isEnough).isPresent() && (pin == null || held != null)) {
            return receipts.ofPart(region, there.get(), held);
        }
        Receipt cold = receipts.cold(region, there, held, terms.deadline());
        if (terms.onDeadline() == OnDeadline.FAIL) {
            Problem why = Objects.requireNonNull(cold.cold());
            throw Failures.refusal(why);
        }
        return cold;
    }

    /**
     * Gives up the pin if the version is not mounted, because it cannot be pinned then. A request
     * that fails at its deadline needs no pin on a partial copy.
     */
    private void takeLate(RequestedPin wanted, CallerDeadline timeout) {
        if (!state.isMounted(region)) {
            wanted.release();
        } else if (terms.onDeadline() == OnDeadline.RUN_COLD
                || state.state(region) == State.CACHED) {
            wanted.takeLate(timeout);
        }
    }

    private @Nullable PinGrant held() {
        return pin == null ? null : pin.grant().orElse(null);
    }

    private void releasePin() {
        if (pin != null) {
            pin.release();
        }
    }
}
