package dev.forebay.workflows;

import static dev.forebay.workflows.Platform.AP;
import static dev.forebay.workflows.Platform.US;
import static dev.forebay.workflows.Platform.pin;
import static dev.forebay.workflows.Platform.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.FakeRegion.Step;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.RequestTerms;
import dev.forebay.workflows.message.RequestTerms.OnDeadline;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.Urgency;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Requests with partial coverage, with a deadline, or for several regions. */
@Execution(ExecutionMode.CONCURRENT)
class EnsureTermsTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** The test server does not skip time while a region fills. */
    private static final Duration SHORT = Duration.ofSeconds(3);

    /** Long enough to finish a step even on a busy machine. */
    private static final Duration AMPLE = Duration.ofSeconds(12);

    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(5);
    private static final Duration HOUR = Duration.ofHours(1);

    private final Platform platform = Platform.start();

    @AfterEach
    void stop() {
        platform.close();
    }

    /** "Partial coverage". */
    @Test
    void aPartialReceiptReturnsAtItsCoverageAndTheFillContinues() {
        platform.us.closeGate(64);
        Receipt receipt = result(platform.ensureAsync(request(US, pin("p", HOUR), part(0.5))));

        assertThat(receipt.bytesVerified()).isEqualTo(640);
        assertThat(receipt.bytes()).isEqualTo(1_000);
        assertThat(receipt.path()).isEqualTo("/mnt/forebay/team/digits/v1");
        assertThat(receipt.cachedAt()).isNull();
        assertThat(receipt.cold()).isNull();
        assertThat(platform.us.isPinned("p")).isTrue();
        assertThat(receipt.pin()).isEqualTo(platform.status().pins().getFirst());
        assertThat(platform.residency(US).state()).isEqualTo(State.WARMING);

        platform.us.openGate();
        platform.passUntil("cached", () -> platform.residency(US).state() == State.CACHED);
    }

    @Test
    void aCoverageOfZeroWaitsOnlyForTheMount() {
        platform.us.closeGate();
        Receipt receipt = result(platform.ensureAsync(request(US, null, part(0))));
        assertThat(receipt.path()).isNotNull();
        assertThat(receipt.bytesVerified()).isZero();
    }

    @Test
    void lostChunksDoNotCountTowardsTheCoverage() {
        platform.us.closeGate(64);
        CompletableFuture<Receipt> all = platform.ensureAsync(US, null);
        platform.passUntil("64 chunks", () -> platform.residency(US).bytesCached() == 640);
        LongStream.range(0, 20).forEach(platform.us::loseChunk);

        CompletableFuture<Receipt> part = platform.ensureAsync(request(US, null, part(0.6)));
        platform.passUntil("the region was asked", () -> platform.us.count(Step.CONFIRM) == 1);
        assertThat(part.isDone()).isFalse();

        platform.us.openGate();
        assertThat(result(part).bytesVerified()).isGreaterThanOrEqualTo(600);
        assertThat(result(all).bytesVerified()).isEqualTo(1_000);
    }

    @Test
    void concurrentCallersWithPartialCoverageShareConfirmations() {
        platform.us.closeGate(64);
        CompletableFuture<Receipt> first = platform.ensureAsync(US, null);
        platform.passUntil("32 chunks", () -> platform.residency(US).bytesCached() == 640);
        List<CompletableFuture<Receipt>> crowd =
                LongStream.range(0, 30)
                        .mapToObj(_ -> platform.ensureAsync(request(US, null, part(0.6))))
                        .toList();
        crowd.forEach(one -> assertThat(result(one).bytesVerified()).isEqualTo(640));
        assertThat(platform.us.count(Step.CONFIRM)).isLessThan(30);
        assertThat(first.isDone()).isFalse();
    }

    /** "Deadlines". */
    @Test
    void aMissedDeadlineFailsAndReportsTheProgress() {
        platform.us.closeGate(32);
        CompletableFuture<Receipt> late =
                platform.ensureAsync(request(US, pin("p", HOUR), by(SHORT, OnDeadline.FAIL)));
        platform.passUntil("late", late::isDone);

        Problem problem = problemOf(late);
        assertThat(problem.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(problem.message())
                .isEqualTo(
                        "team/digits@v1 was not present in us-1 within 3 s: 320 of its 1,000 bytes are"
                                + " present and verified; its fill continues. For the reason, run"
                                + " 'forebay explain team/digits@v1 --region us-1'");
        assertThat(platform.status().pins()).isEmpty();
        assertThat(platform.us.isPinned("p")).isFalse();

        platform.us.openGate();
        platform.passUntil("cached", () -> platform.residency(US).state() == State.CACHED);
    }

    /** No caller waits any more that could start the fill again. */
    @Test
    void aFillWithoutCallersContinuesWhenItsEvictionIsRefused() {
        platform.us.closeGate(32);
        CompletableFuture<Receipt> late =
                platform.ensureAsync(request(US, null, by(SHORT, OnDeadline.FAIL)));
        platform.passUntil("late", late::isDone);
        platform.us.pinBehindTheWorkflow("x", HOUR);
        assertThat(problemOf(platform.evictAsync(US)).code()).isEqualTo(ErrorCode.PINNED);

        platform.us.openGate();
        platform.passUntil("cached", () -> platform.residency(US).state() == State.CACHED);
    }

    /** The fill has reported 320 bytes, and a reader had one more chunk fetched. */
    @Test
    void aColdReceiptStatesItsReason() {
        platform.us.closeGate(32);
        CompletableFuture<Receipt> late =
                platform.ensureAsync(request(US, pin("p", HOUR), by(AMPLE, OnDeadline.RUN_COLD)));
        platform.passUntil("told", () -> platform.residency(US).bytesCached() == 320);
        platform.us.gainChunk(60);
        platform.passUntil("late", late::isDone);

        Receipt receipt = result(late);
        Problem cold = Objects.requireNonNull(receipt.cold());
        assertThat(cold.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(cold.message()).contains("330 of its 1,000 bytes", "its fill continues");
        assertThat(receipt.bytesVerified()).isEqualTo(330);
        assertThat(receipt.path()).isNotNull();
        assertThat(receipt.pin()).isNotNull();
        assertThat(platform.us.isPinned("p")).isTrue();

        platform.us.openGate();
        platform.passUntil("cached", () -> platform.residency(US).state() == State.CACHED);
    }

    /** "Deadlines": the pin that was taken at the mount has ended by then. */
    @Test
    void aColdReceiptHasALivePinAfterItsFirstLeaseEnded() {
        platform.us.closeGate(32);
        Duration deadline = SHORTEST_LEASE.multipliedBy(2);
        CompletableFuture<Receipt> late =
                platform.ensureAsync(
                        request(US, pin("p", SHORTEST_LEASE), by(deadline, OnDeadline.RUN_COLD)));
        platform.passUntil("pinned", () -> platform.us.isPinned("p"));
        platform.passUntil("ended", () -> !platform.us.isPinned("p"));

        PinGrant pin = Objects.requireNonNull(result(late).pin());

        assertThat(platform.us.isPinned("p")).isTrue();
        assertThat(platform.status().pins()).containsExactly(pin);
        platform.us.openGate();
    }

    /** "Several regions in one request". */
    @Test
    void aRegionThatCompletesLongBeforeTheDeadlineKeepsItsPin() {
        platform.ap.closeGate();
        Duration deadline = Duration.ofSeconds(14);
        Duration lease = deadline.multipliedBy(2).minusSeconds(4);
        CompletableFuture<Receipt> late =
                platform.ensureAsync(
                        everywhere(pin("p", lease), by(deadline, OnDeadline.RUN_COLD)));
        platform.passUntil("late", late::isDone);

        Receipt receipt = result(late);
        assertThat(receipt.cold()).isNull();
        assertThat(receipt.bytesVerified()).isEqualTo(1_000);
        assertThat(platform.us.isPinned("p")).isTrue();
        assertThat(platform.status().pins()).contains(Objects.requireNonNull(receipt.pin()));
        assertThat(receipt.others().getFirst().cold()).isNotNull();
        platform.ap.openGate();
    }

    @Test
    void aColdReceiptReportsAnUnfinishedListing() {
        for (int i = 0; i < 20; i++) {
            platform.control.failIngest(ErrorCode.LAKE_UNAVAILABLE);
        }
        CompletableFuture<Receipt> late =
                platform.ensureAsync(request(US, pin("p", HOUR), by(SHORT, OnDeadline.RUN_COLD)));
        platform.passUntil("late", late::isDone);

        Receipt receipt = result(late);
        assertThat(receipt.manifestDigest()).isNull();
        assertThat(receipt.path()).isNull();
        assertThat(receipt.pin()).isNull();
        assertThat(Objects.requireNonNull(receipt.cold()).message())
                .contains("not listed yet", "still running");
    }

    @Test
    void anUnreachableRegionDoesNotDelayADeadline() {
        platform.ensure(US, null);
        platform.pass(MINUTE);
        platform.us.setDown(true);
        Duration before = Duration.ofSeconds(10);
        CompletableFuture<Receipt> late =
                platform.ensureAsync(request(US, pin("p", HOUR), by(before, OnDeadline.RUN_COLD)));
        platform.pass(before.plusSeconds(8));

        Receipt receipt = result(late);
        assertThat(receipt.pin()).isNull();
        assertThat(Objects.requireNonNull(receipt.cold()).message())
                .contains("did not confirm in time");
    }

    @Test
    void aMetDeadlineHasNoLaterEffect() {
        Receipt receipt =
                result(
                        platform.ensureAsync(
                                request(US, pin("p", HOUR), by(MINUTE, OnDeadline.FAIL))));
        assertThat(receipt.bytesVerified()).isEqualTo(1_000);
        assertThat(receipt.pin()).isNotNull();
        platform.pass(MINUTE.multipliedBy(2));
        assertThat(platform.us.isPinned("p")).isTrue();
    }

    @Test
    void aFailedFillReturnsNoColdReceipt() {
        platform.us.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        assertThat(
                        problemOf(
                                platform.ensureAsync(
                                        request(US, null, by(HOUR, OnDeadline.RUN_COLD)))))
                .extracting(Problem::code)
                .isEqualTo(ErrorCode.LAKE_DENIED);
    }

    /** "Several regions in one request". */
    @Test
    void aRequestForSeveralRegionsReturnsOneReceiptEach() {
        Receipt receipt =
                result(platform.ensureAsync(everywhere(pin("p", HOUR), RequestTerms.USUAL)));
        assertThat(receipt.region()).isEqualTo(US);
        assertThat(receipt.others()).extracting(Receipt::region).containsExactly(AP);
        assertThat(receipt.others().getFirst().bytesVerified()).isEqualTo(1_000);
        assertThat(platform.us.isPinned("p")).isTrue();
        assertThat(platform.ap.isPinned("p")).isTrue();
        assertThat(platform.control.ingests()).isEqualTo(1);
    }

    /**
     * "Several regions in one request": the copy of the first region is gone when the last one
     * completes.
     */
    @Test
    void anEarlyRegionIsRefilledAndPinnedAgainBeforeTheAnswer() {
        platform.ap.closeGate();
        CompletableFuture<Receipt> call =
                platform.ensureAsync(everywhere(pin("p", SHORTEST_LEASE), RequestTerms.USUAL));
        platform.passUntil("pinned", () -> platform.us.isPinned("p"));
        platform.passUntil(
                "ended",
                () ->
                        !platform.us.isPinned("p")
                                && platform.status().pins().stream()
                                        .noneMatch(pin -> pin.region().equals(US)));
        platform.us.loseChunk(0);
        long filled = platform.us.count(Step.WARM);
        platform.ap.openGate();

        Receipt receipt = result(call);

        assertThat(platform.us.count(Step.WARM)).as("it was filled again").isGreaterThan(filled);
        assertThat(receipt.bytesVerified()).isEqualTo(1_000);
        PinGrant first = Objects.requireNonNull(receipt.pin());
        PinGrant last = Objects.requireNonNull(receipt.others().getFirst().pin());
        assertThat(Duration.between(first.expiresAt(), last.expiresAt()).abs())
                .as("both were taken when the last region was done")
                .isLessThan(SHORTEST_LEASE);
    }

    @Test
    void aFailedRegionFailsTheRequestAndLeavesNoPinElsewhere() {
        platform.ensure(US, null);
        platform.ap.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        Problem problem =
                problemOf(platform.ensureAsync(everywhere(pin("p", HOUR), RequestTerms.USUAL)));
        assertThat(problem.code()).isEqualTo(ErrorCode.LAKE_DENIED);
        assertThat(platform.status().pins()).isEmpty();
        assertThat(platform.us.isPinned("p")).isFalse();
    }

    @Test
    void aFailedRegionDoesNotWaitForASlowOne() {
        platform.us.closeGate();
        platform.ap.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        CompletableFuture<Receipt> call =
                platform.ensureAsync(everywhere(pin("p", HOUR), RequestTerms.USUAL));
        assertThat(problemOf(call).code()).isEqualTo(ErrorCode.LAKE_DENIED);
        assertThat(platform.us.isPinned("p")).isFalse();
        assertThat(platform.residency(US).state()).isEqualTo(State.WARMING);
    }

    @Test
    void aFailedRequestKeepsThePinOfAnEarlierRequest() {
        platform.ensure(US, pin("p", HOUR));
        platform.ap.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        Problem problem =
                problemOf(platform.ensureAsync(everywhere(pin("p", HOUR), RequestTerms.USUAL)));
        assertThat(problem.code()).isEqualTo(ErrorCode.LAKE_DENIED);
        assertThat(platform.us.isPinned("p")).isTrue();
        assertThat(platform.status().pins()).extracting(PinGrant::region).containsExactly(US);
    }

    @Test
    void aFailedRequestKeepsThePinOfALaterRequest() {
        platform.ap.closeGate();
        CompletableFuture<Receipt> everywhere =
                platform.ensureAsync(everywhere(pin("p", HOUR), RequestTerms.USUAL));
        platform.passUntil("the pin is taken", () -> platform.us.isPinned("p"));
        assertThat(platform.ensure(US, pin("p", HOUR)).pin()).isNotNull();

        platform.ap.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        platform.ap.openGate();
        platform.ap.fail(Step.CONFIRM, ErrorCode.LAKE_DENIED);
        assertThat(problemOf(everywhere).code()).isEqualTo(ErrorCode.LAKE_DENIED);
        assertThat(platform.us.isPinned("p")).isTrue();
        assertThat(platform.ap.isPinned("p")).isFalse();
    }

    @Test
    void aLateRequestKeepsThePinOfAWaitingRequest() {
        platform.us.closeGate();
        CompletableFuture<Receipt> patient =
                platform.ensureAsync(request(US, pin("p", HOUR), RequestTerms.USUAL));
        platform.passUntil("the pin is taken", () -> platform.us.isPinned("p"));
        CompletableFuture<Receipt> late =
                platform.ensureAsync(request(US, pin("p", HOUR), by(SHORT, OnDeadline.FAIL)));
        platform.passUntil("late", late::isDone);
        assertThat(problemOf(late).code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(platform.us.isPinned("p")).isTrue();

        platform.us.openGate();
        assertThat(result(patient).pin()).isNotNull();
        assertThat(platform.us.count(Step.UNPIN)).isZero();
    }

    @Test
    void theLastFailingRequestReleasesThePin() {
        platform.us.closeGate();
        CompletableFuture<Receipt> one =
                platform.ensureAsync(request(US, pin("p", HOUR), by(SHORT, OnDeadline.FAIL)));
        CompletableFuture<Receipt> other =
                platform.ensureAsync(request(US, pin("p", HOUR), by(SHORT, OnDeadline.FAIL)));
        platform.passUntil("late", () -> one.isDone() && other.isDone());
        assertThat(platform.us.isPinned("p")).isFalse();
        assertThat(platform.us.count(Step.UNPIN)).isEqualTo(1);
    }

    @Test
    void theDeadlineErrorNamesEachLateRegion() {
        platform.us.closeGate(32);
        platform.ap.closeGate(64);
        CompletableFuture<Receipt> late =
                platform.ensureAsync(everywhere(null, by(SHORT, OnDeadline.FAIL)));
        platform.passUntil("late", late::isDone);
        Problem problem = problemOf(late);
        assertThat(problem.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(problem.message())
                .contains(
                        "not present in us-1 within 3 s: 320 of",
                        "not present in ap-1 within 3 s: 640 of");
    }

    @Test
    void aWaitingCallerRestartsASpeculativeFill() {
        RequestTerms later = new RequestTerms(1, null, OnDeadline.FAIL, Urgency.SPECULATIVE);
        platform.us.closeGate(32);
        CompletableFuture<Receipt> speculative = platform.ensureAsync(request(US, null, later));
        platform.passUntil("half of it", () -> platform.us.count(Step.WARM) == 2);
        CompletableFuture<Receipt> more = platform.ensureAsync(request(US, null, later));
        CompletableFuture<Receipt> waiting = platform.ensureAsync(US, null);
        platform.passUntil("the fill restarts", () -> platform.us.count(Step.WARM) == 3);

        platform.us.openGate();
        assertThat(result(waiting).bytesVerified()).isEqualTo(1_000);
        result(speculative);
        result(more);
        assertThat(platform.us.count(Step.WARM)).isEqualTo(5);
    }

    @Test
    void invalidTermsAreRefused() {
        platform.ensure(US, null);
        for (EnsureRequest bad :
                List.of(
                        request(US, null, part(1.01)),
                        request(US, null, part(-0.01)),
                        request(US, null, part(Double.NaN)),
                        request(US, null, by(Duration.ZERO, OnDeadline.FAIL)),
                        request(US, null, by(Duration.ofDays(8), OnDeadline.FAIL)),
                        new EnsureRequest(US, null, RequestTerms.USUAL, List.of(US)))) {
            Throwable failure = catchThrowable(() -> result(platform.ensureAsync(bad)));
            assertThat(Failures.problem(failure).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        }
        assertThat(platform.acceptedUpdates()).isEqualTo(1);
    }

    private static EnsureRequest request(
            RegionName region, @Nullable PinRequest pin, RequestTerms terms) {
        return new EnsureRequest(region, pin, terms, List.of());
    }

    private static EnsureRequest everywhere(@Nullable PinRequest pin, RequestTerms terms) {
        return new EnsureRequest(US, pin, terms, List.of(AP));
    }

    private static RequestTerms part(double coverage) {
        return new RequestTerms(coverage, null, OnDeadline.FAIL, Urgency.INTERACTIVE);
    }

    private static RequestTerms by(Duration deadline, OnDeadline then) {
        return new RequestTerms(1, deadline, then, Urgency.INTERACTIVE);
    }

    private static Problem problemOf(CompletableFuture<?> call) {
        Throwable failure = catchThrowable(() -> result(call));
        assertThat(failure).isNotNull();
        return Failures.problem(failure);
    }
}
