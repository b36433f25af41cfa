package dev.forebay.workflows;

import static dev.forebay.workflows.Platform.AP;
import static dev.forebay.workflows.Platform.TTL;
import static dev.forebay.workflows.Platform.US;
import static dev.forebay.workflows.Platform.VERSION;
import static dev.forebay.workflows.Platform.pin;
import static dev.forebay.workflows.Platform.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.forebay.lifecycle.Lifecycle;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.FakeRegion.Step;
import dev.forebay.workflows.input.IngestInput;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.ReadReport;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.Residency.Filling;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.ResumeRequest;
import dev.forebay.workflows.message.TtlRequest;
import dev.forebay.workflows.message.UnpinRequest;
import dev.forebay.workflows.message.Urgency;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.api.history.v1.HistoryEvent;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class DatasetVersionWorkflowTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private Platform platform;

    @BeforeEach
    void start() {
        platform = Platform.start();
    }

    @AfterEach
    void stop() {
        platform.close();
    }

    @Test
    void aReceiptStatesThatEveryByteIsVerified() {
        Receipt receipt = platform.ensure(US, null);

        assertThat(receipt.version()).isEqualTo(VERSION);
        assertThat(receipt.manifestDigest()).isEqualTo(FakeControlPlane.MANIFEST.digest());
        assertThat(receipt.bytes()).isEqualTo(FakeControlPlane.MANIFEST.bytes());
        assertThat(receipt.bytesVerified()).isEqualTo(receipt.bytes());
        assertThat(receipt.bytesFromLake()).isEqualTo(receipt.bytes());
        assertThat(receipt.path()).isEqualTo("/mnt/forebay/team/digits/v1");
        assertThat(receipt.pin()).isNull();
        assertThat(receipt.workflowId()).isEqualTo("dataset/team/digits@v1");
        assertThat(platform.residency(US).state()).isEqualTo(State.CACHED);
        assertThat(platform.residency(US).evictableAt())
                .isEqualTo(Objects.requireNonNull(receipt.cachedAt()).plus(TTL));
    }

    @Test
    void aSecondCallReturnsWithoutAskingTheRegion() {
        Receipt first = platform.ensure(US, null);
        assertThat(platform.ensure(US, null)).isEqualTo(first);
        assertThat(platform.us.count(Step.WARM)).isEqualTo(4);
        assertThat(platform.us.count(Step.CONFIRM)).isEqualTo(1);
    }

    /** A button of Temporal's Web UI sends this cancellation. */
    @Test
    void aTemporalCancellationIsIgnored() {
        CompletableFuture<Receipt> waiting = platform.ensureAsync(US, pin("a", MINUTE));
        platform.workflow().cancel();

        assertThat(result(waiting).pin()).isNotNull();
        assertThat(platform.ensure(AP, null).region()).isEqualTo(AP);
        result(platform.evictAsync(AP));
        assertThat(platform.residency(AP).state()).isEqualTo(State.ABSENT);
        platform.passUntil(
                "the catalogue knows",
                () ->
                        platform.control.projected().getLast().regions().stream()
                                .anyMatch(
                                        each ->
                                                each.region().equals(AP)
                                                        && each.state() == State.ABSENT));
    }

    @Test
    void regionsFillIndependentlyFromOneIngest() {
        CompletableFuture<Receipt> us = platform.ensureAsync(US, null);
        CompletableFuture<Receipt> ap = platform.ensureAsync(AP, null);
        assertThat(result(us).region()).isEqualTo(US);
        assertThat(result(ap).region()).isEqualTo(AP);
        assertThat(platform.control.ingests()).isEqualTo(1);
    }

    /** An operator ended the version's workflow, and its child has not ended yet. */
    @Test
    void anIngestWaitsForThatOfAnEarlierRun() {
        platform.control.closeGate();
        WorkflowClient client = platform.environment.getWorkflowClient();
        IngestWorkflow earlier =
                client.newWorkflowStub(
                        IngestWorkflow.class,
                        WorkflowOptions.newBuilder()
                                .setWorkflowId(WorkflowIds.ingest(VERSION))
                                .setTaskQueue(TaskQueues.LIFECYCLE)
                                .build());
        var _ = WorkflowClient.start(earlier::run, new IngestInput(VERSION, Urgency.INTERACTIVE));
        CompletableFuture<Receipt> waiting = platform.ensureAsync(US, null);
        platform.passUntil(
                "the new run could not start its ingest",
                () ->
                        client.fetchHistory(WorkflowIds.version(VERSION)).getEvents().stream()
                                .anyMatch(
                                        HistoryEvent
                                                ::hasStartChildWorkflowExecutionFailedEventAttributes));
        platform.control.openGate();
        assertThat(result(waiting).region()).isEqualTo(US);
        assertThat(platform.control.ingests()).isEqualTo(2);
    }

    @Test
    void aHundredConcurrentCallsCauseOneFill() {
        platform.us.closeGate();
        List<CompletableFuture<Receipt>> calls =
                IntStream.range(0, 100)
                        .mapToObj(i -> platform.ensureAsync(US, pin("job" + i, MINUTE)))
                        .toList();
        platform.us.openGate();
        assertThat(calls)
                .allSatisfy(
                        call -> {
                            Receipt receipt = result(call);
                            assertThat(receipt.bytesVerified()).isEqualTo(receipt.bytes());
                            assertThat(receipt.pin()).isNotNull();
                        });
        assertThat(platform.control.ingests()).isEqualTo(1);
        assertThat(platform.us.count(Step.MOUNT)).isEqualTo(1);
        assertThat(platform.us.count(Step.WARM)).isEqualTo(4);
        assertThat(platform.us.count(Step.CONFIRM)).isEqualTo(1);
    }

    @Test
    void aPinProtectsTheVersionFromItsMountOn() {
        platform.us.closeGate();
        CompletableFuture<Receipt> ensured = platform.ensureAsync(US, pin("p", MINUTE));
        platform.passUntil("pinned", () -> !platform.status().pins().isEmpty());

        assertThat(platform.residency(US).state()).isEqualTo(State.WARMING);
        assertThat(codeOf(() -> platform.update("evict", evict(US)))).isEqualTo(ErrorCode.PINNED);

        platform.us.openGate();
        assertThat(result(ensured).pin()).isNotNull();
    }

    @Test
    void theCatalogueReceivesTheProgressOfAFill() {
        platform.us.fail(Step.CONFIRM, ErrorCode.UNAVAILABLE);
        platform.us.closeGate();
        CompletableFuture<Receipt> ensured = platform.ensureAsync(US, null);
        platform.passUntil("mounted", () -> platform.residency(US).path() != null);
        assertThat(platform.residency(US).bytesCached()).isZero();

        platform.us.openGate();
        result(ensured);
        assertThat(platform.control.projected())
                .extracting(status -> bytes(status, US))
                .isSorted()
                .contains(0L, 1_000L);
    }

    @Test
    void aPinEndsOneLeaseAfterItsLastRenewal() {
        platform.ensure(US, pin("p", MINUTE));
        platform.pass(Duration.ofSeconds(50));
        platform.us.renew("p");
        platform.pass(Duration.ofSeconds(30));
        assertThat(platform.status().pins()).hasSize(1);
        assertThat(platform.residency(US).evictableAt()).isNull();

        platform.pass(Duration.ofSeconds(40));
        assertThat(platform.status().pins()).isEmpty();
        assertThat(platform.residency(US).evictableAt()).isNotNull();
    }

    @Test
    void aPinOfAnotherHolderIsNotReplaced() {
        PinRequest mine = pin("p", MINUTE);
        PinRequest theirs = new PinRequest(US, "p", "somebody else", "", MINUTE);
        PinGrant granted = platform.ensure(US, mine).pin();

        assertThat(codeOf(() -> platform.update("pin", theirs)))
                .isEqualTo(ErrorCode.ALREADY_EXISTS);
        assertThat(codeOf(() -> platform.ensure(US, theirs))).isEqualTo(ErrorCode.ALREADY_EXISTS);
        assertThat(platform.status().pins()).containsExactly(granted);

        platform.update("pin", mine);
        assertThat(platform.status().pins())
                .extracting(PinGrant::holder)
                .containsExactly(mine.holder());
    }

    @Test
    void aCallerWithARefusedPinFailsBeforeTheFillEnds() {
        platform.us.closeGate(16);
        CompletableFuture<Receipt> mine = platform.ensureAsync(US, pin("p", MINUTE));
        platform.passUntil("pinned", () -> platform.us.isPinned("p"));
        PinRequest theirs = new PinRequest(US, "p", "somebody else", "", MINUTE);

        assertThat(codeOf(() -> platform.ensure(US, theirs))).isEqualTo(ErrorCode.ALREADY_EXISTS);

        assertThat(platform.residency(US).state()).isEqualTo(State.WARMING);
        platform.us.openGate();
        assertThat(result(mine).pin()).isNotNull();
    }

    /**
     * The mount may wait for space for a day. A client that asks again must not cause a second pin
     * call.
     */
    @Test
    void aPinRefusedBeforeTheMountIsNotTakenLater() {
        platform.us.fail(
                Step.MOUNT,
                Collections.nCopies(1_000, ErrorCode.UNAVAILABLE).toArray(ErrorCode[]::new));
        CompletableFuture<Receipt> ensured = platform.ensureAsync(US, null);
        platform.passUntil("admission is tried", () -> !platform.us.claims().isEmpty());

        assertThat(codeOf(() -> platform.update("pin", pin("q", MINUTE))))
                .isEqualTo(ErrorCode.UNAVAILABLE);

        platform.us.recover(Step.MOUNT);
        result(ensured);
        assertThat(platform.us.count(Step.PIN)).isZero();
        assertThat(platform.status().pins()).isEmpty();
    }

    @Test
    void releasingAPinStartsTheTtl() {
        platform.ensure(US, pin("p", MINUTE));
        platform.update("unpin", new UnpinRequest(US, "p"));
        assertThat(platform.status().pins()).isEmpty();
        assertThat(platform.us.isPinned("p")).isFalse();
        assertThat(platform.residency(US).evictableAt()).isNotNull();
        platform.update("unpin", new UnpinRequest(US, "p"));
    }

    @Test
    void pinsStayWhileTheRegionDoesNotAnswer() {
        platform.ensure(US, pin("p", MINUTE));
        platform.us.setDown(true);
        platform.pass(Duration.ofMinutes(30));
        assertThat(platform.status().pins()).hasSize(1);

        platform.us.setDown(false);
        platform.passUntil("ended", () -> platform.status().pins().isEmpty());
    }

    @Test
    void aCachedVersionCanBePinned() {
        platform.ensure(US, null);
        PinGrant grant = platform.workflow().update("pin", PinGrant.class, pin("q", MINUTE));
        assertThat(grant.expiresAt()).isAfter(platform.now().plusSeconds(50));
        assertThat(platform.status().pins()).containsExactly(grant);

        PinRequest elsewhere = new PinRequest(AP, "q", "job", "training", MINUTE);
        assertThat(codeOf(() -> platform.workflow().update("pin", PinGrant.class, elsewhere)))
                .isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void aPinnedVersionIsNotEvictedUntilItIsReleased() {
        platform.ensure(US, pin("p", MINUTE));
        assertThat(codeOf(() -> platform.update("evict", evict(US)))).isEqualTo(ErrorCode.PINNED);
        assertThat(platform.us.count(Step.BEGIN_EVICTION)).isZero();

        platform.update("unpin", new UnpinRequest(US, "p"));
        platform.update("evict", evict(US));
        assertThat(platform.residency(US).state()).isEqualTo(State.ABSENT);
        assertThat(platform.us.isEmpty()).isTrue();
        platform.update("evict", evict(US));
    }

    @Test
    void aPinThatOnlyTheRegionKnowsPreventsAnEviction() {
        platform.ensure(US, null);
        platform.us.pinBehindTheWorkflow("x", MINUTE);
        assertThat(codeOf(() -> platform.update("evict", evict(US)))).isEqualTo(ErrorCode.PINNED);
        assertThat(platform.residency(US).state()).isEqualTo(State.CACHED);
        assertThat(platform.us.count(Step.DROP)).isZero();
    }

    @Test
    void aSweepEvictsOnlyExpiredCopies() {
        EvictRequest sweep = new EvictRequest(US, "TTL has passed", true);
        platform.ensure(US, null);
        assertThat(codeOf(() -> platform.update("evict", sweep)))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);

        platform.pass(TTL.plusSeconds(1));
        platform.update("evict", sweep);
        assertThat(platform.residency(US).state()).isEqualTo(State.ABSENT);
    }

    @Test
    void aNewTtlStartsNow() {
        platform.ensure(US, null);
        platform.update("setTtl", new TtlRequest(Duration.ofSeconds(10)));
        platform.pass(Duration.ofSeconds(11));
        platform.update("evict", new EvictRequest(US, "TTL has passed", true));
        assertThat(platform.us.isEmpty()).isTrue();
    }

    @Test
    void aVersionUsedSinceItWasChosenIsNotEvicted() {
        platform.ensure(US, null);
        Instant chosen = platform.residency(US).evictableAt();
        platform.pass(Duration.ofMinutes(10));
        platform.ensure(US, null);

        assertThat(
                        codeOf(
                                () ->
                                        platform.update(
                                                "evict",
                                                new EvictRequest(
                                                        US, "full", false, chosen, false))))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        Instant now = platform.residency(US).evictableAt();
        platform.update("evict", new EvictRequest(US, "full", false, now, false));
        assertThat(platform.residency(US).state()).isEqualTo(State.ABSENT);
    }

    @Test
    void aVersionThatACallerWaitsForIsNotEvictedForOthers() {
        EvictRequest forOthers = new EvictRequest(US, "space for others", false, null, true);
        platform.us.closeGate();
        CompletableFuture<Receipt> ensured = platform.ensureAsync(US, null);
        platform.passUntil("warming", () -> platform.us.count(Step.WARM) > 0);

        assertThat(codeOf(() -> platform.update("evict", forOthers)))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);

        platform.us.openGate();
        assertThat(result(ensured).bytesVerified()).isEqualTo(FakeControlPlane.MANIFEST.bytes());
        platform.update("evict", forOthers);
        assertThat(platform.residency(US).state()).isEqualTo(State.ABSENT);
    }

    @Test
    void aVersionThatIsBeingConfirmedIsNotEvictedForOthers() {
        EvictRequest forOthers = new EvictRequest(US, "space for others", false, null, true);
        platform.ensure(US, null);
        // The next receipt needs a new confirmation, which does not come.
        platform.pass(Duration.ofMinutes(1));
        platform.us.setDown(true);
        long asked = platform.us.count(Step.CONFIRM);
        CompletableFuture<Receipt> ensured = platform.ensureAsync(US, null);
        platform.passUntil("asked", () -> platform.us.count(Step.CONFIRM) > asked);

        assertThat(codeOf(() -> platform.update("evict", forOthers)))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);

        platform.us.setDown(false);
        platform.passUntil("answered", ensured::isDone);
        assertThat(result(ensured).bytesVerified()).isEqualTo(FakeControlPlane.MANIFEST.bytes());
        assertThat(platform.residency(US).state()).isEqualTo(State.CACHED);
    }

    @Test
    void upkeepFillsMissingChunksOfAPinnedVersion() {
        platform.ensure(US, pin("p", Duration.ofDays(1)));
        platform.us.loseChunk(3);

        platform.workflow().signal("upkeep", US);

        platform.passUntil("filled again", () -> platform.us.count(Step.WARM) > 4);
        platform.passUntil("complete", () -> platform.residency(US).state() == State.CACHED);
        assertThat(platform.status().pins()).hasSize(1);
        assertThat(platform.us.isPinned("p")).isTrue();
        assertThat(platform.control.ingests()).isEqualTo(1);
    }

    @Test
    void upkeepIgnoresCompleteUnreachableAndAbsentCopies() {
        platform.ensure(US, pin("p", Duration.ofDays(1)));
        platform.workflow().signal("upkeep", US);
        platform.passUntil("asked", () -> platform.us.count(Step.CONFIRM) == 2);
        // Another signal would share the running question until its answer arrives. Time passes
        // once it has arrived.
        platform.pass(Duration.ofSeconds(1));
        platform.us.setDown(true);
        platform.workflow().signal("upkeep", US);
        platform.workflow().signal("upkeep", AP);
        platform.passUntil("asked again", () -> platform.us.count(Step.CONFIRM) > 2);
        platform.pass(Duration.ofMinutes(5));
        platform.us.setDown(false);

        assertThat(platform.residency(US).state()).isEqualTo(State.CACHED);
        assertThat(platform.residency(AP).state()).isEqualTo(State.ABSENT);
        assertThat(platform.us.count(Step.WARM)).isEqualTo(4);
        assertThat(platform.ap.count(Step.CONFIRM)).isZero();
        platform.update("unpin", new UnpinRequest(US, "p"));
    }

    @Test
    void aPinThatEndedInTheRegionIsRemovedBeforeItsLeaseEnds() {
        platform.ensure(US, pin("over", Duration.ofDays(1)));
        platform.ensure(US, pin("running", Duration.ofDays(1)));
        platform.us.unpin(Platform.VERSION, "over");
        assertThat(platform.status().pins()).hasSize(2);

        platform.workflow().signal("pinsEnded", US);
        platform.workflow().signal("pinsEnded", AP);

        platform.passUntil("noticed", () -> platform.status().pins().size() == 1);
        assertThat(platform.status().pins().getFirst().id()).isEqualTo("running");
        platform.us.unpin(Platform.VERSION, "running");
        platform.workflow().signal("pinsEnded", US);
        platform.passUntil("no pin is left", () -> platform.status().pins().isEmpty());
        assertThat(platform.residency(US).evictableAt())
                .isBefore(platform.now().plus(TTL).plusSeconds(1));
    }

    @Test
    void aReadRestartsTheTtl() {
        platform.ensure(US, null);
        platform.pass(TTL.plusMinutes(5));
        platform.workflow().signal("read", new ReadReport(US, Duration.ofMinutes(15)));
        platform.passUntil(
                "the read is recorded",
                () ->
                        platform.now()
                                .isBefore(
                                        Objects.requireNonNull(
                                                platform.residency(US).evictableAt())));

        EvictRequest sweep = new EvictRequest(US, "TTL has passed", true);
        assertThat(codeOf(() -> platform.update("evict", sweep)))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        platform.pass(TTL);
        platform.update("evict", sweep);
        assertThat(platform.residency(US).state()).isEqualTo(State.ABSENT);
    }

    @Test
    void anEnsureDuringAnEvictionWaitsAndFillsAgain() {
        platform.ensure(US, null);
        platform.us.fail(Step.DROP, ErrorCode.UNAVAILABLE, ErrorCode.UNAVAILABLE);
        CompletableFuture<Void> evicted = platform.evictAsync(US);
        CompletableFuture<Receipt> ensured = platform.ensureAsync(US, pin("p", MINUTE));
        platform.passUntil("evicted", evicted::isDone);

        assertThat(result(ensured).bytesVerified()).isEqualTo(FakeControlPlane.MANIFEST.bytes());
        assertThat(platform.us.count(Step.WARM)).isEqualTo(8);
        assertThat(platform.us.isPinned("p")).isTrue();
    }

    @Test
    void anEvictionStopsAnUnpinnedFill() {
        platform.us.closeGate(32);
        CompletableFuture<Receipt> ensured = platform.ensureAsync(US, null);
        platform.passUntil("half of it", () -> platform.us.count(Step.WARM) == 2);
        result(platform.evictAsync(US));

        assertThat(codeOf(() -> result(ensured))).isEqualTo(ErrorCode.EVICTING);
        assertThat(platform.us.isEmpty()).isTrue();
        platform.us.openGate();
        platform.ensure(US, null);
    }

    @Test
    void aCallDuringTheEvictionOfAFillIsServedAfterwards() {
        platform.us.closeGate(32);
        CompletableFuture<Receipt> before = platform.ensureAsync(US, null);
        platform.passUntil("half of it", () -> platform.us.count(Step.WARM) == 2);
        CompletableFuture<Void> evicted = platform.evictAsync(US);
        CompletableFuture<Receipt> after = platform.ensureAsync(US, pin("p", MINUTE));
        result(evicted);
        platform.us.openGate();

        assertThat(codeOf(() -> result(before))).isEqualTo(ErrorCode.EVICTING);
        assertThat(result(after).pin()).isNotNull();
    }

    @Test
    void aFillContinuesWhenItsEvictionIsRefused() {
        platform.us.closeGate(32);
        CompletableFuture<Receipt> ensured = platform.ensureAsync(US, null);
        platform.passUntil("half of it", () -> platform.us.count(Step.WARM) == 2);
        platform.us.pinBehindTheWorkflow("x", Duration.ofHours(5));
        assertThat(codeOf(() -> result(platform.evictAsync(US)))).isEqualTo(ErrorCode.PINNED);

        platform.us.openGate();
        assertThat(result(ensured).bytesVerified()).isEqualTo(FakeControlPlane.MANIFEST.bytes());
    }

    @Test
    void aPermanentlyFailedFillBlocksTheRegionUntilItIsResumed() {
        platform.us.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        assertThat(codeOf(() -> platform.ensure(US, pin("p", MINUTE))))
                .isEqualTo(ErrorCode.LAKE_DENIED);
        Problem blocked = Objects.requireNonNull(platform.residency(US).blocked());
        assertThat(blocked.code()).isEqualTo(ErrorCode.LAKE_DENIED);
        assertThat(blocked.message())
                .contains("then 'forebay resume %s --region %s'".formatted(Platform.VERSION, US));
        assertThat(platform.us.isPinned("p")).as("the pin is released").isFalse();
        assertThat(platform.status().pins()).isEmpty();

        platform.update("resume", new ResumeRequest(US));
        platform.passUntil("cached", () -> platform.residency(US).state() == State.CACHED);
    }

    @Test
    void anotherEnsureRetriesABlockedRegion() {
        platform.control.failIngest(ErrorCode.LAKE_EMPTY);
        platform.control.failIngest(ErrorCode.LAKE_EMPTY);
        assertThat(codeOf(() -> platform.ensure(US, null))).isEqualTo(ErrorCode.LAKE_EMPTY);
        assertThat(codeOf(() -> platform.ensure(US, null))).isEqualTo(ErrorCode.LAKE_EMPTY);
        assertThat(platform.residency(US).state()).isEqualTo(State.BLOCKED);
        platform.ensure(US, null);
        assertThat(platform.residency(US).state()).isEqualTo(State.CACHED);
    }

    @Test
    void aBlockedRegionKeepsItsCoverageWhenItResumes() {
        LongStream.range(0, 25).forEach(platform.us::gainChunk);
        platform.us.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        assertThat(codeOf(() -> platform.ensure(US, null))).isEqualTo(ErrorCode.LAKE_DENIED);
        assertThat(platform.residency(US).bytesCached()).isEqualTo(250);

        platform.us.closeGate();
        platform.update("resume", new ResumeRequest(US));
        platform.passUntil("warming", () -> platform.us.count(Step.WARM) == 2);
        assertThat(platform.residency(US).state()).isEqualTo(State.WARMING);
        assertThat(platform.residency(US).bytesCached()).isEqualTo(250);
    }

    @Test
    void aResumedFillCountsItsBytesSeparatelyFromCoverage() {
        LongStream.range(0, 50).forEach(platform.us::gainChunk);
        platform.us.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        assertThat(codeOf(() -> platform.ensure(US, null))).isEqualTo(ErrorCode.LAKE_DENIED);

        platform.us.closeGate(32);
        platform.update("resume", new ResumeRequest(US));
        platform.passUntil("one batch", () -> platform.us.count(Step.WARM) == 3);
        platform.passUntil("told", () -> counted() > 0);
        assertThat(counted()).isEqualTo(320);
        assertThat(platform.residency(US).bytesCached()).isEqualTo(500);
    }

    private long counted() {
        Filling filling = platform.residency(US).filling();
        return filling == null ? 0 : filling.bytesCounted();
    }

    @Test
    void aReceiptWithoutAPinRestartsTheTtl() {
        platform.ensure(US, null);
        platform.pass(TTL.minusMinutes(1));
        platform.ensure(US, null);

        platform.pass(Duration.ofMinutes(5));
        assertThat(codeOf(() -> platform.update("evict", new EvictRequest(US, "sweep", true))))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        platform.pass(TTL);
        platform.update("evict", new EvictRequest(US, "sweep", true));
        assertThat(platform.us.isEmpty()).isTrue();
    }

    @Test
    void aBlockedRegionCanBeEvicted() {
        platform.us.fail(Step.WARM, ErrorCode.LAKE_OBJECT_CHANGED);
        assertThat(codeOf(() -> platform.ensure(US, null)))
                .isEqualTo(ErrorCode.LAKE_OBJECT_CHANGED);
        platform.update("evict", evict(US));
        assertThat(platform.us.isEmpty()).isTrue();
    }

    @Test
    void transientFailuresAreRetriedWithoutFetchingTwice() {
        platform.us.fail(Step.MOUNT, ErrorCode.UNAVAILABLE, ErrorCode.UNAVAILABLE);
        platform.us.fail(Step.WARM, ErrorCode.LAKE_UNAVAILABLE, ErrorCode.CAPACITY_EXCEEDED);
        CompletableFuture<Receipt> ensured = platform.ensureAsync(US, null);
        platform.passUntil("done", ensured::isDone);
        assertThat(result(ensured).bytesFromLake()).isEqualTo(FakeControlPlane.MANIFEST.bytes());
    }

    @Test
    void anUnreachableRegionIsBlockedWithAdvice() {
        platform.us.setDown(true);
        CompletableFuture<Receipt> ensured = platform.ensureAsync(US, null);
        platform.pass(Duration.ofHours(2));
        assertThat(codeOf(() -> result(ensured))).isEqualTo(ErrorCode.UNAVAILABLE);
        Problem blocked = Objects.requireNonNull(platform.residency(US).blocked());
        assertThat(blocked.message()).contains("agent");
    }

    @Test
    void aCallWithAPinRefillsARegionThatLostTheVersion() {
        platform.ensure(US, null);
        platform.us.forget();
        Receipt receipt = platform.ensure(US, pin("p", MINUTE));
        assertThat(receipt.bytesFromLake()).isEqualTo(2 * FakeControlPlane.MANIFEST.bytes());
        assertThat(platform.us.count(Step.WARM)).isEqualTo(8);
        assertThat(platform.us.isPinned("p")).isTrue();
    }

    @Test
    void aFillRestartsIfTheRegionLosesTheVersion() {
        platform.us.closeGate(30);
        CompletableFuture<Receipt> ensured = platform.ensureAsync(US, null);
        platform.passUntil("a part is there", () -> platform.us.count(Step.WARM) == 2);
        platform.us.forget();
        platform.us.openGate();

        Receipt receipt = result(ensured);
        assertThat(receipt.bytesVerified()).isEqualTo(receipt.bytes());
        assertThat(platform.us.count(Step.MOUNT)).isEqualTo(2);
        assertThat(platform.residency(US).blocked()).isNull();
    }

    /** A version whose mount the region loses every time is not filled without end. */
    @Test
    void aFillGivesUpIfTheRegionKeepsLosingTheVersion() {
        platform.us.fail(
                Step.WARM, Collections.nCopies(100, ErrorCode.NOT_FOUND).toArray(ErrorCode[]::new));
        CompletableFuture<Receipt> ensured = platform.ensureAsync(US, null);
        platform.passUntil("it is given up", ensured::isDone);

        assertThat(codeOf(() -> result(ensured))).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(platform.us.count(Step.MOUNT)).isEqualTo(10);
    }

    @Test
    void aReceiptWaitsUntilALostChunkIsFilledAgain() {
        Receipt first = platform.ensure(US, null);
        platform.us.loseChunk(7);
        platform.pass(Duration.ofSeconds(11));

        Receipt receipt = platform.ensure(US, null);
        assertThat(platform.us.isEmpty()).isFalse();
        assertThat(receipt.bytesVerified()).isEqualTo(receipt.bytes());
        assertThat(receipt.bytesFromLake())
                .isEqualTo(first.bytesFromLake() + FakeRegion.CHUNK_BYTES);
        assertThat(receipt.cachedAt()).isAfter(first.cachedAt());
    }

    @Test
    void aReceiptWithAPinIsConfirmedAfterThePinIsTaken() {
        Receipt first = platform.ensure(US, null);
        platform.pass(Duration.ofSeconds(1));
        platform.us.loseChunk(7);

        Receipt receipt = platform.ensure(US, pin("p", MINUTE));
        assertThat(receipt.bytesFromLake())
                .isEqualTo(first.bytesFromLake() + FakeRegion.CHUNK_BYTES);
        assertThat(platform.us.isPinned("p")).isTrue();
    }

    @Test
    void aCallWithoutAPinRefillsARegionThatLostTheVersion() {
        platform.ensure(US, null);
        platform.us.forget();
        platform.pass(Duration.ofSeconds(11));

        Receipt receipt = platform.ensure(US, null);
        assertThat(receipt.bytesVerified()).isEqualTo(receipt.bytes());
        assertThat(platform.us.count(Step.MOUNT)).isEqualTo(2);
        assertThat(platform.us.isEmpty()).isFalse();
    }

    @Test
    void aVersionEvictedByItsRegionIsFilledAgain() {
        Receipt first = platform.ensure(US, null);
        platform.pass(Duration.ofSeconds(11));
        platform.us.fail(
                Step.CONFIRM,
                Collections.nCopies(20, ErrorCode.EVICTING).toArray(ErrorCode[]::new));

        CompletableFuture<Receipt> ensured = platform.ensureAsync(US, null);
        platform.passUntil("filled again", ensured::isDone);

        assertThat(result(ensured).cachedAt()).isAfter(first.cachedAt());
        assertThat(platform.us.count(Step.MOUNT)).isEqualTo(2);
    }

    @Test
    void anUnreachableRegionGivesNoReceiptAndKeepsNoPin() {
        Receipt first = platform.ensure(US, null);
        platform.pass(Duration.ofSeconds(11));
        platform.us.fail(
                Step.CONFIRM,
                IntStream.range(0, 20)
                        .mapToObj(_ -> ErrorCode.UNAVAILABLE)
                        .toArray(ErrorCode[]::new));
        CompletableFuture<Receipt> ensured = platform.ensureAsync(US, pin("p", MINUTE));
        platform.pass(Duration.ofMinutes(3));
        assertThat(codeOf(() -> result(ensured))).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(platform.status().pins()).isEmpty();
        assertThat(platform.residency(US).state()).isEqualTo(State.CACHED);
        assertThat(platform.residency(US).cachedAt()).isEqualTo(first.cachedAt());
    }

    @Test
    void concurrentCallersOfACachedVersionShareOneConfirmation() {
        platform.ensure(US, null);
        platform.pass(Duration.ofSeconds(11));
        platform.us.setConfirmationsWait(true);
        // On a busy machine, more calls would take longer than a confirmation stays valid.
        List<CompletableFuture<Receipt>> calls =
                IntStream.range(0, 15).mapToObj(_ -> platform.ensureAsync(US, null)).toList();
        platform.us.setConfirmationsWait(false);
        calls.forEach(Platform::result);
        assertThat(platform.us.count(Step.CONFIRM)).isEqualTo(2);
    }

    @Test
    void aPinThatExpiresDuringALongFillIsTakenAgain() {
        platform.us.fail(
                Step.CONFIRM,
                IntStream.range(0, 8)
                        .mapToObj(_ -> ErrorCode.UNAVAILABLE)
                        .toArray(ErrorCode[]::new));
        CompletableFuture<Receipt> ensured = platform.ensureAsync(US, pin("p", MINUTE));
        platform.passUntil("done", ensured::isDone);
        Receipt receipt = result(ensured);
        PinGrant pin = Objects.requireNonNull(receipt.pin());
        assertThat(pin.expiresAt())
                .isAfterOrEqualTo(Objects.requireNonNull(receipt.cachedAt()).plus(MINUTE));
        assertThat(platform.us.count(Step.PIN)).isEqualTo(2);
    }

    @Test
    void anUnavailableCatalogueDelaysNoCallerAndCatchesUpLater() {
        platform.control.failProjections(ErrorCode.UNAVAILABLE);
        platform.ensure(US, null);
        platform.update("evict", evict(US));
        assertThat(platform.control.projected()).isEmpty();

        platform.control.failProjections(null);
        platform.passUntil("projected", () -> !platform.control.projected().isEmpty());
        platform.passUntil(
                "the latest",
                () -> platform.control.projected().getLast().equals(platform.status()));
    }

    @Test
    void aStateThatTheCatalogueRefusesIsSentOnce() {
        platform.ensure(US, null);
        platform.passUntil(
                "the catalogue knows",
                () -> platform.control.projected().getLast().equals(platform.status()));
        int before = platform.control.projections();
        platform.control.failProjections(ErrorCode.INVALID_ARGUMENT);
        platform.update("setTtl", new TtlRequest(Duration.ofDays(1)));
        platform.pass(Duration.ofHours(1));
        assertThat(platform.control.projections()).isEqualTo(before + 1);

        platform.control.failProjections(null);
        platform.update("setTtl", new TtlRequest(Duration.ofDays(2)));
        platform.passUntil(
                "the next state is sent",
                () -> platform.control.projected().getLast().equals(platform.status()));
    }

    @Test
    void invalidRequestsAreRefusedBeforeTheyEnterTheHistory() {
        platform.ensure(US, null);
        assertRefused("pin", pin("", MINUTE));
        assertRefused("pin", pin("a/b", MINUTE));
        assertRefused("pin", pin("x".repeat(65), MINUTE));
        assertRefused("pin", pin("p", Duration.ofSeconds(4)));
        assertRefused("pin", pin("p", Duration.ofDays(8)));
        assertRefused("pin", new PinRequest(US, "p", "x".repeat(201), "", MINUTE));
        assertRefused("pin", new PinRequest(US, "p", "", "x".repeat(201), MINUTE));
        assertRefused("setTtl", new TtlRequest(Duration.ofMillis(999)));
        assertRefused("setTtl", new TtlRequest(Duration.ofDays(3651)));
        assertRefused("ensureCached", EnsureRequest.of(AP, pin("p", MINUTE)));
        assertRefused("evict", new EvictRequest(US, "x".repeat(1_001), false));
        assertRefused("unpin", new UnpinRequest(US, "a b"));
        assertThat(platform.acceptedUpdates()).isEqualTo(1);
    }

    @Test
    void searchAttributesShowTheState() {
        platform.ensure(US, pin("p", MINUTE));
        var attributes = platform.workflow().describe().getTypedSearchAttributes();
        assertThat(attributes.get(SearchAttributes.DATASET)).isEqualTo("team/digits");
        assertThat(attributes.get(SearchAttributes.VERSION)).isEqualTo("v1");
        assertThat(attributes.get(SearchAttributes.NAMESPACE)).isEqualTo("team");
        assertThat(attributes.get(SearchAttributes.REGIONS)).containsExactly("us-1:CACHED");
        assertThat(attributes.get(SearchAttributes.PINNED)).isTrue();
        assertThat(attributes.get(SearchAttributes.BYTES)).isEqualTo(1_000L);

        platform.pass(MINUTE.plus(TTL).plusSeconds(10));
        attributes = platform.workflow().describe().getTypedSearchAttributes();
        assertThat(attributes.get(SearchAttributes.REGIONS)).containsExactly("us-1:EXPIRED");
        assertThat(attributes.get(SearchAttributes.PINNED)).isFalse();
    }

    private void assertRefused(String update, Object request) {
        assertThat(codeOf(() -> platform.workflow().update(update, Object.class, request)))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    private static EvictRequest evict(RegionName region) {
        return new EvictRequest(region, "test", false);
    }

    private static long bytes(VersionStatus status, RegionName region) {
        return Lifecycle.residency(status, region).bytesCached();
    }

    private static ErrorCode codeOf(Runnable call) {
        Throwable failure = catchThrowable(call::run);
        assertThat(failure).isNotNull();
        Problem problem = Failures.problem(failure);
        assertThat(problem.code()).as(problem.message()).isNotEqualTo(ErrorCode.INTERNAL);
        return problem.code();
    }
}
