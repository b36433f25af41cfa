package dev.forebay.workflows;

import static dev.forebay.workflows.Platform.AP;
import static dev.forebay.workflows.Platform.US;
import static dev.forebay.workflows.Platform.pin;
import static dev.forebay.workflows.Platform.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.forebay.model.ErrorCode;
import dev.forebay.workflows.FakeRegion.Step;
import dev.forebay.workflows.message.AbandonRequest;
import dev.forebay.workflows.message.CancelRequest;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.RequestTerms;
import dev.forebay.workflows.message.RequestTerms.OnDeadline;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.Urgency;
import io.temporal.api.history.v1.HistoryEvent;
import io.temporal.client.WorkflowUpdateStage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Requests that clients cancel, and regions that are given up. */
@Execution(ExecutionMode.CONCURRENT)
class CancelTest {

    private static final Duration LEASE = Duration.ofHours(1);

    private final Platform platform = Platform.start();

    @AfterEach
    void close() {
        platform.control.openGate();
        platform.close();
    }

    /** "Cancelling a request". */
    @Test
    void cancellingARequestStopsItsFillAndEvictsItsBytes() {
        platform.us.closeGate(32);
        CompletableFuture<Receipt> asked = ask("r", EnsureRequest.of(US, pin("p", LEASE)));
        platform.passUntil("half of it is there", () -> platform.us.count(Step.WARM) == 2);

        platform.update("cancel", new CancelRequest("r"));

        assertThat(code(asked)).isEqualTo(ErrorCode.CANCELLED);
        assertThat(platform.residency(US).state()).isEqualTo(State.ABSENT);
        assertThat(platform.status().pins()).isEmpty();
        assertThat(platform.us.isPinned("p")).isFalse();
        assertThat(platform.us.count(Step.DROP)).isEqualTo(1);
        platform.us.openGate();
        assertThat(platform.ensure(US, null).bytesVerified())
                .isEqualTo(FakeControlPlane.MANIFEST.bytes());
    }

    /** "Cancelling a request". */
    @Test
    void cancellingARequestRemovesAVersionAdmittedMeanwhile() {
        platform.us.setAdmissionsWait(true);
        CompletableFuture<Receipt> asked = ask("r", EnsureRequest.of(US, null));
        platform.passUntil("the fill asks for admission", () -> !platform.us.claims().isEmpty());

        CompletableFuture<Void> cancelled = startToCancel("r");
        platform.pass(Duration.ofSeconds(5));
        assertThat(platform.residency(US).state()).isNotEqualTo(State.ABSENT);
        platform.us.setAdmissionsWait(false);

        result(cancelled);
        assertThat(code(asked)).isEqualTo(ErrorCode.CANCELLED);
        assertThat(platform.residency(US).state()).isEqualTo(State.ABSENT);
        assertThat(platform.us.count(Step.MOUNT)).isEqualTo(1);
        assertThat(platform.us.isEmpty()).isTrue();
    }

    @Test
    void aFillContinuesIfAnotherRequestWaitsForIt() {
        platform.us.closeGate();
        CompletableFuture<Receipt> one = ask("one", EnsureRequest.of(US, null));
        CompletableFuture<Receipt> other = ask("other", EnsureRequest.of(US, null));
        platform.passUntil("the fill has started", () -> platform.us.count(Step.WARM) == 1);

        platform.update("cancel", new CancelRequest("one"));

        assertThat(code(one)).isEqualTo(ErrorCode.CANCELLED);
        platform.us.openGate();
        assertThat(result(other).cachedAt()).isNotNull();
        assertThat(platform.us.count(Step.DROP)).isZero();
        assertThat(platform.us.count(Step.MOUNT)).isEqualTo(1);
    }

    @Test
    void aFillOfAPinnedVersionContinuesAfterACancellation() {
        platform.us.closeGate();
        CompletableFuture<Receipt> asked = ask("r", EnsureRequest.of(US, null));
        platform.passUntil("the fill has started", () -> platform.us.count(Step.WARM) == 1);
        platform.workflow().update("pin", PinGrant.class, pin("mine", LEASE));

        platform.update("cancel", new CancelRequest("r"));

        assertThat(code(asked)).isEqualTo(ErrorCode.CANCELLED);
        platform.us.openGate();
        platform.passUntil("cached", () -> platform.residency(US).state() == State.CACHED);
        assertThat(platform.us.count(Step.DROP)).isZero();
    }

    @Test
    void aRepairOfACachedCopyContinuesAfterACancellation() {
        platform.ensure(US, null);
        platform.pass(Duration.ofSeconds(11));
        platform.us.loseChunk(3);
        platform.us.closeGate();
        CompletableFuture<Receipt> asked = ask("r", EnsureRequest.of(US, null));
        platform.passUntil(
                "the copy is being repaired",
                () -> platform.residency(US).state() == State.WARMING);

        platform.update("cancel", new CancelRequest("r"));

        assertThat(code(asked)).isEqualTo(ErrorCode.CANCELLED);
        assertThat(platform.residency(US).state()).isEqualTo(State.WARMING);
        platform.us.openGate();
        platform.passUntil("cached", () -> platform.residency(US).state() == State.CACHED);
    }

    @Test
    void cancellingTheOnlyRequestStopsTheListingAndALaterOneRestartsIt() {
        platform.control.closeGate();
        CompletableFuture<Receipt> asked = ask("r", EnsureRequest.of(US, null));
        platform.passUntil("warming", () -> platform.residency(US).state() == State.WARMING);

        platform.update("cancel", new CancelRequest("r"));
        CompletableFuture<Receipt> later = platform.ensureAsync(US, null);
        platform.control.openGate();

        assertThat(code(asked)).isEqualTo(ErrorCode.CANCELLED);
        assertThat(result(later).bytes()).isEqualTo(FakeControlPlane.MANIFEST.bytes());
    }

    @Test
    void cancelReturnsOnceTheCatalogueShowsTheVersionAsAbsent() {
        platform.control.closeGate();
        CompletableFuture<Receipt> asked = ask("r", EnsureRequest.of(US, null));
        platform.passUntil("warming", () -> platform.residency(US).state() == State.WARMING);

        platform.update("cancel", new CancelRequest("r"));

        assertThat(code(asked)).isEqualTo(ErrorCode.CANCELLED);
        assertThat(platform.control.projected().getLast().regions())
                .allMatch(region -> region.state() == State.ABSENT);
    }

    @Test
    void cancelWaitsBrieflyForAnUnavailableCatalogue() {
        platform.control.closeGate();
        platform.control.failProjections(ErrorCode.UNAVAILABLE);
        CompletableFuture<Receipt> asked = ask("r", EnsureRequest.of(US, null));
        platform.passUntil("warming", () -> platform.residency(US).state() == State.WARMING);

        CompletableFuture<Void> cancelled = startToCancel("r");
        platform.passUntil("it is gone", () -> platform.residency(US).state() == State.ABSENT);
        assertThat(isAnyUpdateDone()).isFalse();
        platform.pass(Duration.ofSeconds(5));

        result(cancelled);
        assertThat(code(asked)).isEqualTo(ErrorCode.CANCELLED);
    }

    private boolean isAnyUpdateDone() {
        return platform.history().stream()
                .map(HistoryEvent::getWorkflowExecutionUpdateCompletedEventAttributes)
                .anyMatch(update -> update.getOutcome().hasSuccess());
    }

    @Test
    void cancellingARequestStopsItInEveryRegion() {
        platform.us.closeGate(32);
        platform.ap.closeGate(32);
        CompletableFuture<Receipt> asked =
                ask("r", new EnsureRequest(US, pin("p", LEASE), RequestTerms.USUAL, List.of(AP)));
        platform.passUntil(
                "half of both",
                () ->
                        platform.us.count(Step.WARM) == 2
                                && platform.ap.count(Step.WARM) == 2
                                && platform.status().pins().size() == 2);

        platform.update("cancel", new CancelRequest("r"));

        assertThat(code(asked)).isEqualTo(ErrorCode.CANCELLED);
        assertThat(platform.residency(US).state()).isEqualTo(State.ABSENT);
        assertThat(platform.residency(AP).state()).isEqualTo(State.ABSENT);
        assertThat(platform.status().pins()).isEmpty();
    }

    @Test
    void cancelIgnoresAnsweredAndUnknownRequests() {
        assertThat(result(ask("r", EnsureRequest.of(US, null))).cachedAt()).isNotNull();

        platform.update("cancel", new CancelRequest("r"));
        platform.update("cancel", new CancelRequest("unheard-of"));

        assertThat(platform.residency(US).state()).isEqualTo(State.CACHED);
    }

    /** "Blocked". */
    @Test
    void abandonEvictsABlockedRegionAndOthersContinue() {
        platform.us.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        platform.ap.closeGate();
        CompletableFuture<Receipt> asked = ask("us", EnsureRequest.of(US, null));
        CompletableFuture<Receipt> elsewhere = ask("ap", EnsureRequest.of(AP, null));
        assertThat(code(asked)).isEqualTo(ErrorCode.LAKE_DENIED);
        assertThat(platform.residency(US).blocked())
                .satisfies(
                        why ->
                                assertThat(why.message())
                                        .contains("or 'forebay abandon team/digits@v1"));

        platform.update("abandon", new AbandonRequest(US, "wrong key"));
        platform.update("abandon", new AbandonRequest(US, "again"));

        assertThat(platform.residency(US).state()).isEqualTo(State.ABSENT);
        assertThat(platform.us.count(Step.DROP)).isEqualTo(1);
        platform.ap.openGate();
        assertThat(result(elsewhere).cachedAt()).isNotNull();
        platform.update("abandon", new AbandonRequest(AP, "it is not blocked"));
        assertThat(platform.residency(AP).state()).isEqualTo(State.CACHED);
        assertThat(platform.ensure(US, null).cachedAt()).isNotNull();
    }

    @Test
    void aSpeculativeFillWaitsForItsBudgetUntilACallerWaits() {
        platform.control.setBudgetSpent(true);
        RequestTerms later = new RequestTerms(1, null, OnDeadline.FAIL, Urgency.SPECULATIVE);
        CompletableFuture<Receipt> hint =
                ask("hint", new EnsureRequest(US, null, later, List.of()));
        platform.passUntil(
                "the budget refuses the fill", () -> platform.control.budgetRefusals() > 0);
        platform.pass(Duration.ofHours(3));
        assertThat(platform.us.count(Step.MOUNT)).as("other versions can use the space").isZero();

        assertThat(platform.ensure(US, null).cachedAt()).isNotNull();

        assertThat(result(hint).cachedAt()).isNotNull();
    }

    @Test
    void aSpeculativeFillContinuesWithTheNextBudget() {
        platform.control.setBudgetSpent(true);
        RequestTerms later = new RequestTerms(1, null, OnDeadline.FAIL, Urgency.SPECULATIVE);
        CompletableFuture<Receipt> hint =
                ask("hint", new EnsureRequest(US, null, later, List.of()));
        platform.passUntil(
                "the budget refuses the fill", () -> platform.control.budgetRefusals() > 0);
        platform.pass(Duration.ofHours(3));

        platform.control.setBudgetSpent(false);
        platform.passUntil("cached", () -> platform.residency(US).state() == State.CACHED);

        assertThat(result(hint).cachedAt()).isNotNull();
    }

    private CompletableFuture<Receipt> ask(String id, EnsureRequest request) {
        return platform.ensureAsync(id, request);
    }

    private CompletableFuture<Void> startToCancel(String id) {
        return platform.workflow()
                .startUpdate(
                        "cancel", WorkflowUpdateStage.ACCEPTED, Void.class, new CancelRequest(id))
                .getResultAsync();
    }

    private static ErrorCode code(CompletableFuture<Receipt> refused) {
        return Failures.problem(catchThrowable(() -> result(refused))).code();
    }
}
