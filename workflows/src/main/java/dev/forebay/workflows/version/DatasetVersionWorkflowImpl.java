package dev.forebay.workflows.version;

import dev.forebay.lifecycle.VersionEvent.FillCounted;
import dev.forebay.lifecycle.VersionEvent.Mounted;
import dev.forebay.lifecycle.VersionEvent.Read;
import dev.forebay.lifecycle.VersionEvent.Resumed;
import dev.forebay.lifecycle.VersionEvent.TtlSet;
import dev.forebay.lifecycle.VersionEvent.WarmProgressed;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.DatasetVersionWorkflow;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.evict.Evictions;
import dev.forebay.workflows.fill.CoverageProofs;
import dev.forebay.workflows.fill.CoverageQueries;
import dev.forebay.workflows.fill.Fills;
import dev.forebay.workflows.ingest.Ingest;
import dev.forebay.workflows.input.VersionInput;
import dev.forebay.workflows.message.AbandonRequest;
import dev.forebay.workflows.message.CancelRequest;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.FillProgress;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.ReadReport;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.ResumeRequest;
import dev.forebay.workflows.message.TtlRequest;
import dev.forebay.workflows.message.UnpinRequest;
import dev.forebay.workflows.message.VersionStatus;
import dev.forebay.workflows.pin.PinWatch;
import dev.forebay.workflows.pin.VersionPins;
import dev.forebay.workflows.state.Timeouts;
import dev.forebay.workflows.state.VersionState;
import io.temporal.workflow.Workflow;
import io.temporal.workflow.WorkflowInit;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * The implementation of a version's entity workflow. Handlers change the state by events and wait.
 * Helpers follow fills, evictions and pins. The main method shows the state to people and to the
 * catalogue, and starts a new run when the history gets long.
 *
 * <p>It delays the new run until no work is in progress, but only up to a limit. After that the
 * fills stop, and the next run continues them. Waiting clients learn from Temporal that the run has
 * ended, and send their requests to the next run.
 */
public class DatasetVersionWorkflowImpl implements DatasetVersionWorkflow {

    /**
     * The longest wait of a pin request for the version's mount, which may itself wait for space.
     */
    private static final Duration MOUNT_TIMEOUT = Duration.ofSeconds(5);

    private final VersionInput input;
    private final VersionState state;
    private final Ingest ingest;
    private final Fills fills;
    private final Evictions evictions;
    private final PinWatch pinWatch;
    private final VersionPins pins;
    private final CoverageProofs proofs;
    private final CoverageQueries coverageQueries;
    private final Receipts receipts;
    private final CatalogueProjection projection;
    private final TemporalDisplay display;
    private final UnansweredRequests callers;
    private final EvictionRequests evictionRequests;
    private final Cancellations cancellations;

    @WorkflowInit
    public DatasetVersionWorkflowImpl(VersionInput input) {
        this.input = input;
        state = new VersionState(input);
        coverageQueries = new CoverageQueries(state);
        ingest = new Ingest(state);
        fills = new Fills(state, ingest, coverageQueries, input.unfinishedFills());
        evictions = new Evictions(state, fills);
        pinWatch = new PinWatch(state);
        pins = new VersionPins(state, fills, pinWatch, input.provisionalPins());
        proofs = new CoverageProofs(state, fills);
        receipts = new Receipts(state);
        projection = new CatalogueProjection(state);
        display = new TemporalDisplay(state);
        callers = new UnansweredRequests(input.unansweredRequests());
        evictionRequests = new EvictionRequests(state, evictions, callers);
        cancellations =
                new Cancellations(state, ingest, fills, evictions, pins, projection, callers);
    }

    @Override
    public void run(VersionInput input) {
        // Ignores workflow cancellation: clients cancel through the {@code cancel} update.
        Workflow.newDetachedCancellationScope(() -> live(input)).run();
    }

    private void live(VersionInput input) {
        RequestChecks.require(input);
        recover();
        ContinueAsNewPolicy end =
                new ContinueAsNewPolicy(
                        ingest, fills, evictions, pins, callers, longestHistory(), mostUpdates());
        projection.start(end::isReached);
        while (!mayContinueAsNew(end)) {
            display.refresh();
            display.awaitChange(() -> mayContinueAsNew(end) || end.isOverdue());
            if (end.isOverdue()) {
                fills.halt();
            }
        }
        VersionStatus carried = state.status();
        Workflow.continueAsNew(
                new VersionInput(
                        input.version(),
                        carried.ttl(),
                        carried,
                        state.history().unreported(),
                        fills.left(),
                        callers.awaited(region -> state.state(region) == State.WARMING),
                        evictions.left(),
                        pins.left(callers::isExpectedNext)));
    }

    @Override
    public Receipt ensureCached(EnsureRequest request) {
        return callers.during(
                request,
                deadline ->
                        new EnsureInRegions(
                                        pins,
                                        (one, requester) ->
                                                new EnsureInRegion(
                                                        state,
                                                        fills,
                                                        pins,
                                                        proofs,
                                                        coverageQueries,
                                                        receipts,
                                                        deadline,
                                                        one,
                                                        requester),
                                        request,
                                        deadline)
                                .run());
    }

    @Override
    public void validateEnsureCached(EnsureRequest request) {
        RequestChecks.check(request);
    }

    @Override
    public PinGrant pin(PinRequest request) {
        RegionName region = request.region();
        // A fill that has just begun mounts the version first.
        BooleanSupplier known =
                () -> state.state(region) != State.WARMING || state.isMounted(region);
        if (!Timeouts.await(MOUNT_TIMEOUT, known)) {
            throw Failures.refusal(
                    ErrorCode.UNAVAILABLE,
                    "%s is not mounted in %s yet: wait for it with 'forebay ensure %s --region %s --pin-for 1h'"
                            .formatted(input.version(), region, input.version(), region));
        }
        return switch (state.state(region)) {
            case WARMING, CACHED -> pins.take(request);
            case EVICTING ->
                    throw Failures.refusal(
                            ErrorCode.EVICTING,
                            "%s is being evicted from %s: fill it again after the eviction with 'forebay ensure %s --region %s --pin-for 1h'"
                                    .formatted(input.version(), region, input.version(), region));
            case ABSENT, BLOCKED ->
                    throw Failures.refusal(
                            ErrorCode.NOT_FOUND,
                            "%s is not in %s: fill it with 'forebay ensure %s --region %s'"
                                    .formatted(input.version(), region, input.version(), region));
        };
    }

    @Override
    public void validatePin(PinRequest request) {
        RequestChecks.check(request);
    }

    @Override
    public void unpin(UnpinRequest request) {
        pins.release(request);
    }

    @Override
    public void validateUnpin(UnpinRequest request) {
        RequestChecks.check(request);
    }

    @Override
    public void evict(EvictRequest request) {
        evictionRequests.evict(request);
    }

    @Override
    public void validateEvict(EvictRequest request) {
        RequestChecks.check(request);
    }

    @Override
    public void setTtl(TtlRequest request) {
        state.apply(new TtlSet(request.ttl(), VersionState.now()));
    }

    @Override
    public void validateSetTtl(TtlRequest request) {
        RequestChecks.check(request);
    }

    @Override
    public void resume(ResumeRequest request) {
        if (state.state(request.region()) == State.BLOCKED) {
            state.apply(new Resumed(request.region()));
            fills.of(request.region());
        }
    }

    @Override
    public void validateResume(ResumeRequest request) {
        RequestChecks.check(request);
    }

    @Override
    public void cancel(CancelRequest request) {
        cancellations.cancel(request.updateId());
    }

    @Override
    public void validateCancel(CancelRequest request) {
        RequestChecks.check(request);
    }

    @Override
    public void abandon(AbandonRequest request) {
        Problem blocked = state.residency(request.region()).blocked();
        if (blocked != null) {
            String why = request.reason().isEmpty() ? "" : ": " + request.reason();
            evict(
                    new EvictRequest(
                            request.region(),
                            "it was abandoned after " + blocked.code() + why,
                            false));
        }
    }

    @Override
    public void validateAbandon(AbandonRequest request) {
        RequestChecks.check(request);
    }

    @Override
    public void progress(FillProgress progress) {
        state.apply(new Mounted(progress.region(), progress.path(), VersionState.now()));
        state.apply(
                new WarmProgressed(
                        progress.region(),
                        progress.bytesCached(),
                        progress.bytesFromLake(),
                        progress.objectsCached()));
        state.apply(
                new FillCounted(
                        progress.region(), progress.bytesCounted(), progress.objectsCounted()));
    }

    @Override
    public void read(ReadReport report) {
        state.apply(new Read(report.region(), VersionState.now().minus(report.ago())));
    }

    @Override
    public void upkeep(RegionName region) {
        proofs.renew(region);
    }

    @Override
    public void pinsEnded(RegionName region) {
        pinWatch.check(region);
    }

    @Override
    public VersionStatus status() {
        return state.status();
    }

    /** Well below Temporal's limit of 2,000 updates in a run. Tests choose less. */
    protected int mostUpdates() {
        return 1_500;
    }

    /** Well below Temporal's limit of 51,200 events and quick to replay. Tests choose less. */
    protected int longestHistory() {
        return 4_000;
    }

    /** Continues the work in progress of the previous run. */
    private void recover() {
        for (Residency residency : state.status().regions()) {
            RegionName region = residency.region();
            pinWatch.follow(region);
            switch (residency.state()) {
                case WARMING -> fills.takeUp(region);
                case EVICTING -> evictions.takeUp(region, input.unfinishedEvictions());
                case ABSENT, CACHED, BLOCKED -> {}
            }
        }
    }

    private boolean mayContinueAsNew(ContinueAsNewPolicy end) {
        return end.isReached() && projection.isIdle();
    }
}
