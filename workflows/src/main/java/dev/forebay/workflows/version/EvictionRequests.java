package dev.forebay.workflows.version;

import dev.forebay.lifecycle.Lifecycle;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.evict.Evictions;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.state.Timeouts;
import dev.forebay.workflows.state.VersionState;
import io.temporal.workflow.Promise;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Evicts a version from a region on request, unless a pin or a condition of the request forbids it.
 */
final class EvictionRequests {

    private final VersionState state;
    private final Evictions evictions;
    private final UnansweredRequests callers;

    EvictionRequests(VersionState state, Evictions evictions, UnansweredRequests callers) {
        this.state = state;
        this.evictions = evictions;
        this.callers = callers;
    }

    /**
     * Evicts the version from a region, and waits for the end. Evicting an absent version does
     * nothing.
     */
    void evict(EvictRequest request) {
        RegionName region = request.region();
        Residency residency = state.residency(region);
        if (residency.state() == State.ABSENT) {
            return;
        }
        if (residency.state() != State.EVICTING) {
            refuseUnlessEvictable(request);
        }
        Promise<Void> eviction = evictions.of(region, request.reason());
        if (!Timeouts.await(Evictions.CLIENT_TIMEOUT, eviction::isCompleted)) {
            throw Failures.refusal(
                    ErrorCode.UNAVAILABLE,
                    "%s does not answer. The eviction continues: check it with 'forebay status %s'"
                            .formatted(region, state.version()));
        }
        eviction.get();
    }

    private void refuseUnlessEvictable(EvictRequest request) {
        RegionName region = request.region();
        List<PinGrant> held = state.pins(region);
        if (!held.isEmpty()) {
            throw Failures.refusal(
                    ErrorCode.PINNED,
                    "%s is pinned in %s by %s. 'forebay unpin %s %s --region %s' ends the first pin, whose owner loses it"
                            .formatted(
                                    state.version(),
                                    region,
                                    held.stream()
                                            .limit(10)
                                            .map(pin -> pin.holder() + " (" + pin.id() + ")")
                                            .collect(Collectors.joining(", ")),
                                    state.version(),
                                    held.getFirst().id(),
                                    region));
        }
        if (request.onlyIfExpired()
                && !Lifecycle.isExpired(state.status(), region, VersionState.now())) {
            throw Failures.refusal(
                    ErrorCode.INVALID_ARGUMENT,
                    "the time to live of %s in %s has not ended"
                            .formatted(state.version(), region));
        }
        if (request.ifEvictableAt() != null
                && !request.ifEvictableAt().equals(state.residency(region).evictableAt())) {
            throw Failures.refusal(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s was used in %s after the sweep chose it"
                            .formatted(state.version(), region));
        }
        if (request.onlyIfUnwanted()
                && (callers.isWaitedFor(region) || state.state(region) == State.WARMING)) {
            throw Failures.refusal(
                    ErrorCode.INVALID_ARGUMENT,
                    "a request waits for %s in %s".formatted(state.version(), region));
        }
    }
}
