package dev.forebay.workflows;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.Residency;
import io.temporal.failure.ApplicationFailure;
import io.temporal.failure.TemporalFailure;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One {@code ensureCached}: waits for the region to be CACHED and for the pin to be held, both at
 * the same instant.
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

    private final VersionState state;
    private final Fills fills;
    private final Pins pins;
    private final Proofs proofs;
    private final RegionName region;
    private final @Nullable PinRequest wanted;

    Ensure(VersionState state, Fills fills, Pins pins, Proofs proofs, EnsureRequest request) {
        this.state = state;
        this.fills = fills;
        this.pins = pins;
        this.proofs = proofs;
        this.region = request.region();
        this.wanted = request.pin();
    }

    /**
     * @throws ApplicationFailure with the code of what the region is BLOCKED by; with EVICTING if
     *     the version was evicted while it was being filled
     */
    Receipt run() {
        for (int round = 1; round <= MOST_ROUNDS; round++) {
            fills.awaitSettled(region);
            Promise<Void> fill = fills.of(region);
            Optional<PinGrant> early = pinWhileFilling(fill);
            awaitFill(fill, early);
            if (wanted == null) {
                if (isComplete(Instant.EPOCH)) {
                    return receipt(null);
                }
            } else {
                Optional<PinGrant> grant = early.filter(this::isFresh).or(() -> pin(wanted));
                if (grant.isPresent() && isComplete(grant.get()) && pins.holds(grant.get())) {
                    return receipt(grant.get());
                }
            }
            Workflow.sleep(PAUSE.multipliedBy(round));
        }
        throw Failures.refusal(
                ErrorCode.UNAVAILABLE,
                "%s did not stay in %s long enough to be handed out, %d times in a row"
                        .formatted(state.version(), region, MOST_ROUNDS));
    }

    /** While a region is pinned it drops nothing: what its workers say they hold stays. */
    private boolean isComplete(PinGrant grant) {
        try {
            return isComplete(pins.heldSince(region));
        } catch (ApplicationFailure unavailable) {
            giveBack(grant);
            throw unavailable;
        }
    }

    private boolean isComplete(Instant since) {
        Instant believed = VersionState.now().minus(BELIEVED);
        return proofs.isComplete(region, since.isAfter(believed) ? since : believed);
    }

    private Optional<PinGrant> pinWhileFilling(Promise<Void> fill) {
        if (wanted == null || fill.isCompleted()) {
            return Optional.empty();
        }
        Workflow.await(() -> fill.isCompleted() || state.isMounted(region));
        if (fill.isCompleted()) {
            return Optional.empty();
        }
        try {
            return Optional.of(pins.take(wanted));
        } catch (ApplicationFailure refused) {
            // The one that counts is taken when the filling is done.
            return Optional.empty();
        }
    }

    private void awaitFill(Promise<Void> fill, Optional<PinGrant> early) {
        try {
            fill.get();
        } catch (TemporalFailure failure) {
            early.ifPresent(this::giveBack);
            throw failure;
        }
    }

    private void giveBack(PinGrant grant) {
        try {
            pins.release(region, grant.id());
        } catch (ApplicationFailure unavailable) {
            // Its lease ends it; the caller is to learn why the filling failed.
            Workflow.getLogger(Ensure.class)
                    .warn("pin {} is left to its lease: {}", grant.id(), unavailable.getMessage());
        }
    }

    /** Empty if another round may do better. */
    private Optional<PinGrant> pin(PinRequest request) {
        try {
            return Optional.of(pins.take(request));
        } catch (ApplicationFailure refused) {
            return switch (Failures.problem(refused).code()) {
                case EVICTING, NOT_FOUND -> Optional.empty();
                default -> throw refused;
            };
        }
    }

    /** Whether the holder has still half of the lease to come back and renew. */
    private boolean isFresh(PinGrant grant) {
        return wanted != null
                && pins.holds(grant)
                && VersionState.now().plus(wanted.lease().dividedBy(2)).isBefore(grant.expiresAt());
    }

    private Receipt receipt(@Nullable PinGrant pin) {
        Residency residency = state.residency(region);
        ManifestRef manifest = state.status().manifest();
        if (manifest == null || residency.path() == null || residency.cachedAt() == null) {
            throw Failures.refusal(
                    ErrorCode.INTERNAL, "CACHED in %s without a manifest".formatted(region));
        }
        return new Receipt(
                state.version(),
                manifest.digest(),
                manifest.objects(),
                manifest.bytes(),
                region,
                residency.bytesCached(),
                residency.bytesFromLake(),
                residency.path(),
                residency.cachedAt(),
                pin,
                Workflow.getInfo().getWorkflowId());
    }
}
