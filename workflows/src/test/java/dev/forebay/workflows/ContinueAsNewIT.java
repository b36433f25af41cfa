package dev.forebay.workflows;

import static dev.forebay.workflows.Platform.AP;
import static dev.forebay.workflows.Platform.TTL;
import static dev.forebay.workflows.Platform.US;
import static dev.forebay.workflows.Platform.pin;
import static dev.forebay.workflows.Platform.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.util.Durations;
import dev.forebay.devstack.server.TemporalServer;
import dev.forebay.lifecycle.Lifecycle;
import dev.forebay.model.ErrorCode;
import dev.forebay.workflows.FakeRegion.Step;
import dev.forebay.workflows.evict.EvictWorkflowImpl;
import dev.forebay.workflows.fill.PrewarmWorkflowImpl;
import dev.forebay.workflows.ingest.IngestWorkflowImpl;
import dev.forebay.workflows.input.UnansweredRequest;
import dev.forebay.workflows.input.UnfinishedFill;
import dev.forebay.workflows.input.VersionInput;
import dev.forebay.workflows.message.CancelRequest;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.HistoryEntry;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.RequestTerms;
import dev.forebay.workflows.message.RequestTerms.OnDeadline;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.UnpinRequest;
import dev.forebay.workflows.message.Urgency;
import dev.forebay.workflows.message.VersionStatus;
import dev.forebay.workflows.version.DatasetVersionWorkflowImpl;
import io.temporal.api.history.v1.WorkflowExecutionStartedEventAttributes;
import io.temporal.api.workflowservice.v1.RegisterNamespaceRequest;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.workflow.WorkflowInit;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Versions whose histories are so short that every few messages begin a new run.
 *
 * <p>Runs on a real server: the in-JVM server loses updates and stops when a run ends. Durations
 * are short, because that server cannot skip time.
 */
@SuppressWarnings("NullAway.Init") // static fields are set before all tests, others before each
@Execution(ExecutionMode.CONCURRENT)
class ContinueAsNewIT {

    /** An update that arrives at the end of a run delays that end. */
    private static final int MOST_UPDATES = 500;

    /** In events. */
    private static final int LONGEST_HISTORY = 40;

    /** In events, with two waiting callers: a longer run does not wait for work in progress. */
    private static final int TOO_LONG = 2 * LONGEST_HISTORY + 2 * 10;

    /** Makes a history too long, as each update adds at least two events. */
    private static final int ENOUGH_UPDATES = 50;

    /** Longer than a test waits for an answer. */
    private static final Duration TIMEOUT = Duration.ofHours(1);

    /** The deadline of callers that are meant to miss it. */
    private static final Duration LATE = Duration.ofSeconds(8);

    private static final RequestTerms LATER =
            new RequestTerms(1, null, OnDeadline.FAIL, Urgency.SPECULATIVE);

    @TempDir static Path directory;

    private static TemporalServer temporal;
    private Platform platform;

    /** A version whose runs end after a few events. */
    public static final class ShortLivedVersion extends DatasetVersionWorkflowImpl {

        @WorkflowInit
        public ShortLivedVersion(VersionInput input) {
            super(input);
        }

        @Override
        protected int longestHistory() {
            return LONGEST_HISTORY;
        }
    }

    /** A prewarm whose runs end after one or two batches. */
    public static final class ShortLivedPrewarm extends PrewarmWorkflowImpl {
        @Override
        protected int longestHistory() {
            return 30;
        }
    }

    @BeforeAll
    static void startServer() {
        temporal = TemporalServer.start(directory);
    }

    @AfterAll
    static void stopServer() {
        temporal.close();
    }

    /** Uses a namespace of its own, because tests run concurrently with the same workflow ids. */
    @BeforeEach
    void start() {
        String namespace = UUID.randomUUID().toString();
        register(namespace);
        platform =
                Platform.on(
                        temporal.target(),
                        namespace,
                        ShortLivedVersion.class,
                        ShortLivedPrewarm.class,
                        IngestWorkflowImpl.class,
                        EvictWorkflowImpl.class);
    }

    private static void register(String namespace) {
        WorkflowServiceStubs service =
                WorkflowServiceStubs.newServiceStubs(
                        WorkflowServiceStubsOptions.newBuilder()
                                .setTarget(temporal.target())
                                .build());
        try {
            var _ =
                    service.blockingStub()
                            .registerNamespace(
                                    RegisterNamespaceRequest.newBuilder()
                                            .setNamespace(namespace)
                                            .setWorkflowExecutionRetentionPeriod(
                                                    Durations.fromDays(1))
                                            .build());
        } finally {
            service.shutdownNow();
        }
    }

    @AfterEach
    void stop() {
        platform.close();
    }

    @Test
    void pinsTtlAndReceiptsSurviveContinueAsNew() {
        Receipt first = platform.ensure(US, pin("long", Duration.ofMinutes(5)));
        assertThat(platform.take(pin("short", Duration.ofSeconds(8))).id()).isEqualTo("short");
        continueAsNew();
        continueAsNew();
        platform.setTtl(Duration.ofSeconds(2));

        assertThat(platform.ensure(US, null).cachedAt()).isEqualTo(first.cachedAt());
        assertThat(platform.us.count(Step.WARM)).isEqualTo(4);
        assertThat(platform.control.ingests()).isEqualTo(1);
        platform.passUntil(
                "the short pin has ended",
                () -> platform.status().pins().stream().noneMatch(it -> it.id().equals("short")));
        assertThat(platform.us.isPinned("short")).isFalse();
        assertThat(platform.us.isPinned("long")).isTrue();
        assertThat(platform.status().pins()).extracting(PinGrant::id).containsExactly("long");

        platform.update("unpin", new UnpinRequest(US, "long"));
        platform.passUntil(
                "expired", () -> Lifecycle.isExpired(platform.status(), US, platform.now()));
        platform.update("evict", new EvictRequest(US, "TTL has passed", true));
        assertThat(platform.residency(US).state()).isEqualTo(State.ABSENT);
        assertThat(platform.control.revisions()).hasSizeGreaterThan(3).isSorted();
        assertThat(platform.control.revisions()).doesNotHaveDuplicates();
    }

    @Test
    void aPrewarmPassesItsCursorToTheNextRun() {
        platform.us.loseChunk(0);
        Receipt receipt = platform.ensure(US, null);
        assertThat(receipt.bytesFromLake()).isEqualTo(receipt.bytes());
        assertThat(beginOfPrewarm().getContinuedExecutionRunId()).isNotEmpty();
        assertThat(platform.us.count(Step.MOUNT)).isEqualTo(1);
        assertThat(platform.us.count(Step.WARM)).isEqualTo(4);
    }

    @Test
    void theEvictionReasonSurvivesContinueAsNew() {
        platform.ensure(US, null);
        platform.us.setDropsWait(true);
        CompletableFuture<Void> _ = platform.evictAsync(US);
        platform.passUntil("dropping", () -> platform.us.count(Step.DROP) > 0);

        continueAsNew();
        platform.us.setDropsWait(false);

        platform.passUntil("gone", () -> platform.residency(US).state() == State.ABSENT);
        platform.passUntil(
                "told",
                () ->
                        platform.control.historyEntries().stream()
                                .anyMatch(each -> each.kind() == HistoryEntry.Kind.EVICTED));
        assertThat(platform.control.historyEntries())
                .filteredOn(each -> each.kind() == HistoryEntry.Kind.EVICTED)
                .extracting(HistoryEntry::text)
                .containsExactly("test");
    }

    @Test
    void anUnfinishedFillDoesNotDelayContinueAsNew() {
        platform.ensure(US, null);
        platform.ap.closeGate(32);
        CompletableFuture<Receipt> _ =
                platform.ensureAsync("hint", new EnsureRequest(AP, null, LATER, List.of()));
        platform.passUntil("half of it", () -> platform.ap.count(Step.WARM) == 2);

        continueAsNew();

        platform.passUntil(
                "the next run continues the fill", () -> platform.ap.count(Step.WARM) == 4);
        platform.ap.openGate();
        platform.passUntil("cached", () -> platform.residency(AP).state() == State.CACHED);
        assertThat(platform.ap.claims())
                .hasSizeGreaterThanOrEqualTo(2)
                .allMatch(claim -> claim.urgency() == Urgency.SPECULATIVE);
        assertThat(platform.control.ingests()).isEqualTo(1);
    }

    @Test
    void theNextRunReceivesTheDeadlinesOfWaitingCallers() {
        platform.us.closeGate(32);
        CompletableFuture<Receipt> _ = platform.ensureAsync("r", runCold(TIMEOUT));
        platform.passUntil("half of it", () -> platform.us.count(Step.WARM) == 2);
        Instant latest = platform.now().plus(TIMEOUT);

        continueAsNew();

        assertThat(inputOfRun().unansweredRequests())
                .singleElement()
                .satisfies(
                        caller -> {
                            assertThat(caller.updateId()).isEqualTo("r");
                            assertThat(caller.until()).isBeforeOrEqualTo(latest);
                        });
    }

    @Test
    void aCallerOfThePreviousRunWaitsOnlyUntilItsFirstDeadline() {
        platform.us.closeGate();
        UnansweredRequest waited =
                new UnansweredRequest("r", List.of(US), platform.now().plus(Duration.ofSeconds(1)));
        VersionInput next = nextRun(List.of(), List.of(waited));

        CompletableFuture<Receipt> again = platform.ensureAsync("r", runCold(TIMEOUT), next);

        assertThat(result(again).cold()).isNotNull();
    }

    private static EnsureRequest runCold(Duration deadline) {
        RequestTerms terms =
                new RequestTerms(1, deadline, OnDeadline.RUN_COLD, Urgency.INTERACTIVE);
        return new EnsureRequest(US, null, terms, List.of());
    }

    /** Returns the input of a run that continues one in which a region was being filled. */
    private static VersionInput nextRun(
            List<UnfinishedFill> fillings, List<UnansweredRequest> awaited) {
        Residency warming =
                new Residency(US, State.WARMING, 0, 0, null, null, null, null, 0, null, 0);
        return new VersionInput(
                Platform.VERSION,
                TTL,
                new VersionStatus(Platform.VERSION, null, TTL, List.of(warming), List.of()),
                List.of(),
                fillings,
                awaited,
                List.of(),
                List.of());
    }

    /** Returns the input of the present run. */
    private VersionInput inputOfRun() {
        WorkflowExecutionStartedEventAttributes begin =
                platform.history().getFirst().getWorkflowExecutionStartedEventAttributes();
        return platform.environment
                .getWorkflowClient()
                .getOptions()
                .getDataConverter()
                .fromPayloads(
                        0, Optional.of(begin.getInput()), VersionInput.class, VersionInput.class);
    }

    @Test
    void theNextRunCanCancelARequestOfTheLastRun() {
        platform.us.closeGate(32);
        CompletableFuture<Receipt> _ = platform.ensureAsync("r", EnsureRequest.of(US, null));
        platform.passUntil("half of it", () -> platform.us.count(Step.WARM) == 2);

        continueAsNew();
        platform.passUntil(
                "the next run continues the fill", () -> platform.us.count(Step.WARM) == 4);
        // No caller waits for the request, as after a speculative one.
        platform.update("cancel", new CancelRequest("r"));

        assertThat(platform.residency(US).state()).isEqualTo(State.ABSENT);
        assertThat(platform.us.isEmpty()).isTrue();
    }

    @Test
    void aRequestCancelledInTheNextRunLeavesNoPin() {
        platform.us.closeGate(32);
        CompletableFuture<Receipt> _ =
                platform.ensureAsync("r", EnsureRequest.of(US, pin("p", Duration.ofDays(7))));
        platform.passUntil("half of it", () -> platform.us.count(Step.WARM) == 2);
        platform.passUntil("the pin is taken", () -> platform.us.isPinned("p"));

        continueAsNew();
        platform.passUntil(
                "the next run continues the fill", () -> platform.us.count(Step.WARM) == 4);
        platform.update("cancel", new CancelRequest("r"));

        assertThat(platform.us.isPinned("p")).isFalse();
        assertThat(platform.status().pins()).isEmpty();
        assertThat(platform.residency(US).state()).isEqualTo(State.ABSENT);
    }

    @Test
    void cancellingAnAnsweredRequestKeepsItsPin() {
        result(platform.ensureAsync("r", EnsureRequest.of(US, pin("p", Duration.ofDays(7)))));
        platform.update("cancel", new CancelRequest("r"));
        assertThat(platform.us.isPinned("p")).isTrue();

        continueAsNew();
        platform.update("cancel", new CancelRequest("r"));
        assertThat(platform.us.isPinned("p")).isTrue();
        assertThat(platform.status().pins()).extracting(PinGrant::id).containsExactly("p");
    }

    @Test
    void cancellingOneRequestKeepsTheFillForAnotherOfTheLastRun() {
        platform.us.closeGate(32);
        CompletableFuture<Receipt> _ = platform.ensureAsync("hint", EnsureRequest.of(US, null));
        CompletableFuture<Receipt> _ = platform.ensureAsync("job", EnsureRequest.of(US, null));
        platform.passUntil("half of it", () -> platform.us.count(Step.WARM) == 2);

        continueAsNew();
        CompletableFuture<Receipt> _ = platform.ensureAsync("job", EnsureRequest.of(US, null));
        platform.update("cancel", new CancelRequest("job"));

        assertThat(platform.residency(US).state()).isEqualTo(State.WARMING);
        platform.us.openGate();
        platform.passUntil("cached", () -> platform.residency(US).state() == State.CACHED);
    }

    @Test
    void theNextRunKnowsThePinOfAWaitingCaller() {
        platform.us.closeGate(32);
        CompletableFuture<Receipt> _ =
                platform.ensureAsync("r", EnsureRequest.of(US, pin("p", Duration.ofSeconds(30))));
        platform.passUntil("half of it", () -> platform.us.count(Step.WARM) == 2);

        continueAsNew();

        assertThat(platform.status().pins()).extracting(PinGrant::id).containsExactly("p");
        platform.us.openGate();
        assertThat(
                        result(
                                        platform.ensureAsync(
                                                "r",
                                                EnsureRequest.of(
                                                        US, pin("p", Duration.ofSeconds(30)))))
                                .pin())
                .isNotNull();
    }

    @Test
    void aCallerThatMissesItsDeadlineInTheNextRunReleasesItsPin() {
        EnsureRequest request = until(LATE, "p");
        waitInTheNextRun("r", request);

        assertThat(codeOf(platform.ensureAsync("r", request)))
                .isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(platform.us.isPinned("p")).isFalse();
        assertThat(platform.status().pins()).isEmpty();
    }

    @Test
    void aCallerThatFailsInTheNextRunReleasesItsPinWithoutPinningAgain() {
        EnsureRequest request = EnsureRequest.of(US, pin("p", Duration.ofMinutes(5)));
        waitInTheNextRun("r", request);
        platform.us.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        CompletableFuture<Receipt> again = platform.ensureAsync("r", request);
        platform.us.openGate();

        assertThat(codeOf(again)).isEqualTo(ErrorCode.LAKE_DENIED);
        assertThat(platform.us.count(Step.PIN)).isEqualTo(1);
        assertThat(platform.us.isPinned("p")).isFalse();
    }

    @Test
    void aCallerThatFailsInTheNextRunKeepsThePinOfAnAnsweredOne() {
        EnsureRequest request = until(LATE, "p");
        platform.us.closeGate(32);
        CompletableFuture<Receipt> _ = platform.ensureAsync("r", request);
        platform.passUntil("half of it", () -> platform.us.count(Step.WARM) == 2);
        RequestTerms nothing = new RequestTerms(0, null, OnDeadline.FAIL, Urgency.INTERACTIVE);
        assertThat(
                        result(
                                        platform.ensureAsync(
                                                new EnsureRequest(
                                                        US, request.pin(), nothing, List.of())))
                                .pin())
                .isNotNull();

        continueAsNew();

        assertThat(codeOf(platform.ensureAsync("r", request)))
                .isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(platform.us.isPinned("p")).isTrue();
    }

    private static EnsureRequest until(Duration deadline, String pin) {
        return new EnsureRequest(
                US,
                pin(pin, Duration.ofMinutes(5)),
                new RequestTerms(1, deadline, OnDeadline.FAIL, Urgency.INTERACTIVE),
                List.of());
    }

    /** Sends a request during a fill, and makes the run end after the pin was taken. */
    private void waitInTheNextRun(String id, EnsureRequest request) {
        platform.us.closeGate(32);
        CompletableFuture<Receipt> _ = platform.ensureAsync(id, request);
        platform.passUntil("half of it", () -> platform.us.count(Step.WARM) == 2);
        platform.passUntil("the pin is taken", () -> platform.us.isPinned("p"));
        continueAsNew();
    }

    private static ErrorCode codeOf(CompletableFuture<Receipt> call) {
        Throwable failure = catchThrowable(() -> result(call));
        assertThat(failure).isNotNull();
        return Failures.problem(failure).code();
    }

    @Test
    void aPinInProgressDelaysContinueAsNew() {
        platform.us.closeGate(32);
        CompletableFuture<Receipt> _ = platform.ensureAsync("r", EnsureRequest.of(US, null));
        platform.passUntil("half of it", () -> platform.us.count(Step.WARM) == 2);
        platform.us.setPinsWait(true);
        CompletableFuture<PinGrant> taken = platform.pinAsync(pin("p", Duration.ofSeconds(30)));
        platform.passUntil("the region was asked", () -> platform.us.count(Step.PIN) == 1);
        String before = run();

        for (int i = 1; i <= ENOUGH_UPDATES; i++) {
            platform.setTtl(TTL.plusSeconds(i));
        }
        assertThat(run()).isEqualTo(before);
        platform.us.setPinsWait(false);

        assertThat(result(taken).id()).isEqualTo("p");
        platform.passUntil("the next run", () -> !run().equals(before));
        assertThat(platform.status().pins()).extracting(PinGrant::id).containsExactly("p");
    }

    @ParameterizedTest
    @CsvSource({
        "INTERACTIVE, SPECULATIVE, INTERACTIVE",
        "SPECULATIVE, INTERACTIVE, INTERACTIVE",
        "SPECULATIVE, SPECULATIVE, SPECULATIVE"
    })
    void theFirstCallerOfTheNextRunDoesNotLowerTheUrgencyOfAFill(
            Urgency left, Urgency asked, Urgency expected) {
        platform.us.closeGate();
        VersionInput next = nextRun(List.of(new UnfinishedFill(US, left, true)), List.of());

        CompletableFuture<Receipt> _ =
                platform.ensureAsync(
                        "r",
                        new EnsureRequest(
                                US,
                                null,
                                new RequestTerms(1, null, OnDeadline.FAIL, asked),
                                List.of()),
                        next);

        platform.passUntil("warming", () -> platform.us.count(Step.WARM) == 1);
        assertThat(platform.us.claims())
                .isNotEmpty()
                .allMatch(claim -> claim.urgency() == expected);
    }

    /**
     * Makes the present run end although callers wait. Stops sending updates when the history is
     * too long, because each update at that moment delays the end.
     */
    private void continueAsNew() {
        String before = run();
        for (int i = 1; run().equals(before) && platform.history().size() <= TOO_LONG; i++) {
            assertThat(i).as("updates in one run").isLessThan(MOST_UPDATES);
            platform.setTtl(TTL.plusSeconds(i));
        }
        platform.passUntil("the next run", () -> !run().equals(before));
    }

    private WorkflowExecutionStartedEventAttributes beginOfPrewarm() {
        return platform.environment
                .getWorkflowClient()
                .fetchHistory(WorkflowIds.prewarm(Platform.VERSION, US))
                .getEvents()
                .getFirst()
                .getWorkflowExecutionStartedEventAttributes();
    }

    private String run() {
        return platform.workflow().describe().getExecution().getRunId();
    }
}
