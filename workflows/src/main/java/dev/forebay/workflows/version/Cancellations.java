package dev.forebay.workflows.version;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.evict.Evictions;
import dev.forebay.workflows.fill.Fills;
import dev.forebay.workflows.ingest.Ingest;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.pin.PinRequester;
import dev.forebay.workflows.pin.VersionPins;
import dev.forebay.workflows.state.Timeouts;
import dev.forebay.workflows.state.VersionState;
import io.temporal.workflow.Promise;
import java.time.Duration;
import java.util.List;

/** Cancels requests, and evicts incomplete copies that no other request needs. */
final class Cancellations {

    /**
     * The longest wait of a cancellation for the catalogue. If the catalogue is away, it hears of
     * the cancellation later.
     */
    private static final Duration CATALOGUE_TIMEOUT = Duration.ofSeconds(5);

    private final VersionState state;
    private final Ingest ingest;
    private final Fills fills;
    private final Evictions evictions;
    private final VersionPins pins;
    private final CatalogueProjection projection;
    private final UnansweredRequests callers;

    Cancellations(
            VersionState state,
            Ingest ingest,
            Fills fills,
            Evictions evictions,
            VersionPins pins,
            CatalogueProjection projection,
            UnansweredRequests callers) {
        this.state = state;
        this.ingest = ingest;
        this.fills = fills;
        this.evictions = evictions;
        this.pins = pins;
        this.projection = projection;
        this.callers = callers;
    }

    /**
     * Cancels a request. Its pins end, and so do fills that no other request needs, and the listing
     * if the version has no manifest yet.
     *
     * @param id of the update that brought the request
     */
    void cancel(String id) {
        List<RegionName> unwanted = cancelled(id).stream().filter(this::isUnwanted).toList();
        List<Promise<Void>> ends =
                unwanted.stream()
                        .map(region -> evictions.of(region, "its last request was cancelled"))
                        .toList();
        boolean isGivenUp =
                state.status().manifest() == null
                        && state.status().regions().stream()
                                .noneMatch(residency -> residency.state() == State.WARMING);
        if (isGivenUp) {
            ingest.stop();
        }
        if (!Timeouts.await(
                Evictions.CLIENT_TIMEOUT, () -> ends.stream().allMatch(Promise::isCompleted))) {
            throw Failures.refusal(
                    ErrorCode.UNAVAILABLE,
                    "the request is cancelled. The bytes that are present will be evicted as soon as %s answer"
                            .formatted(unwanted));
        }
        if (isGivenUp) {
            // Once the catalogue knows, the version's name is free again, and a late listing
            // freezes nothing.
            Timeouts.await(CATALOGUE_TIMEOUT, projection::isUpToDate);
        }
    }

    private List<RegionName> cancelled(String id) {
        boolean isExpected = callers.isExpected(id);
        List<RegionName> regions = callers.cancel(id);
        if (isExpected) {
            // Only this run knows which pins the previous run took for the request.
            pins.releaseAll(new PinRequester(id));
        }
        return regions;
    }

    /**
     * Returns whether a region's incomplete copy has no user: a request began it, and no client
     * waits for it or pins it.
     */
    private boolean isUnwanted(RegionName region) {
        return state.state(region) == State.WARMING
                && fills.wasAskedFor(region)
                && state.pins(region).isEmpty()
                && !callers.isWaitedFor(region)
                && !callers.isExpected(region);
    }
}
