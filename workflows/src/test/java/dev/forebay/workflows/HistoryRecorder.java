package dev.forebay.workflows;

import static dev.forebay.workflows.Platform.AP;
import static dev.forebay.workflows.Platform.TTL;
import static dev.forebay.workflows.Platform.US;
import static dev.forebay.workflows.Platform.VERSION;
import static dev.forebay.workflows.Platform.pin;
import static dev.forebay.workflows.Platform.result;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.Sibling;
import dev.forebay.workflows.FakeRegion.Step;
import dev.forebay.workflows.input.ProvisionalPin;
import dev.forebay.workflows.input.UnansweredRequest;
import dev.forebay.workflows.input.UnfinishedFill;
import dev.forebay.workflows.input.VersionInput;
import dev.forebay.workflows.message.AbandonRequest;
import dev.forebay.workflows.message.CancelRequest;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.ReadReport;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.RequestTerms;
import dev.forebay.workflows.message.RequestTerms.OnDeadline;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.ResumeRequest;
import dev.forebay.workflows.message.SweepReason;
import dev.forebay.workflows.message.TtlRequest;
import dev.forebay.workflows.message.UnpinRequest;
import dev.forebay.workflows.message.Urgency;
import dev.forebay.workflows.message.VersionStatus;
import dev.forebay.workflows.message.Victim;
import dev.forebay.workflows.version.WorkflowImplementations;
import io.temporal.client.WorkflowException;
import io.temporal.client.WorkflowOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Records the histories that {@link LifecycleReplayTest} replays, one story for each feature, on a
 * real Temporal server:
 *
 * <pre>
 * temporal server start-dev --headless --port 17233 \\
 *     --dynamic-config-value history.maxInFlightUpdates=1000
 * ./mvnw -pl workflows -am test-compile dependency:build-classpath -Dmdep.outputFile=target/classpath
 * cd workflows && java -cp target/test-classes:target/classes:$(cat target/classpath) \\
 *     dev.forebay.workflows.HistoryRecorder 127.0.0.1:17233 DIRECTORY [STORY]...
 * </pre>
 *
 * <p>The package documentation of {@code dev.forebay.workflows} says when to record.
 */
final class HistoryRecorder {

    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Duration SHORT_LEASE = Duration.ofSeconds(5);

    /** Workflows beside that of the version. */
    private enum Other {
        INGEST(WorkflowIds.ingest(VERSION)),
        PREWARM(WorkflowIds.prewarm(VERSION, US)),
        EVICT(WorkflowIds.evict(VERSION, US)),
        SWEEP(WorkflowIds.sweep(US));

        private final String id;

        Other(String id) {
            this.id = id;
        }
    }

    /**
     * @param others the workflows that the story is also about
     */
    private record Story(Consumer<Platform> script, List<Other> others) {}

    private static final String DRIFT = "drift-check";

    private final String target;
    private final Path directory;

    private HistoryRecorder(String target, Path directory) {
        this.target = target;
        this.directory = directory;
    }

    public static void main(String[] arguments) throws IOException {
        Path directory = Files.createDirectories(Path.of(arguments[1]));
        HistoryRecorder recorder = new HistoryRecorder(arguments[0], directory);
        List<String> wanted = List.of(arguments).subList(2, arguments.length);
        for (Map.Entry<String, Story> story : stories().entrySet()) {
            if (wanted.isEmpty() || wanted.contains(story.getKey())) {
                recorder.record(story.getKey(), story.getValue());
            }
        }
        if (wanted.isEmpty() || wanted.contains(DRIFT)) {
            recorder.recordChecks();
        }
    }

    private static Map<String, Story> stories() {
        Map<String, Story> stories = new LinkedHashMap<>();
        add(stories, "life", HistoryRecorder::life, Other.INGEST, Other.PREWARM, Other.EVICT);
        add(stories, "many-callers", HistoryRecorder::manyCallers);
        add(stories, "blocked-and-resumed", HistoryRecorder::blockedAndResumed);
        add(stories, "evict-during-fill", HistoryRecorder::evictDuringFill, Other.EVICT);
        add(stories, "evict-refused-by-pin", HistoryRecorder::evictRefusedByPin, Other.EVICT);
        add(stories, "lost-mount", HistoryRecorder::lostMount, Other.PREWARM);
        add(stories, "lost-chunks", HistoryRecorder::lostChunks);
        add(stories, "continue-as-new", HistoryRecorder::continueAsNew);
        add(stories, "sweep", HistoryRecorder::sweep, Other.SWEEP);
        add(stories, "ttl-after-read", HistoryRecorder::ttlAfterRead);
        add(stories, "repair", HistoryRecorder::repair);
        add(stories, "terms", HistoryRecorder::terms);
        add(stories, "several-regions", HistoryRecorder::severalRegions);
        add(stories, "pin-after-deadline", HistoryRecorder::pinAfterDeadline);
        add(stories, "shared-pin", HistoryRecorder::sharedPin);
        add(stories, "pin-released-and-taken", HistoryRecorder::pinReleasedAndTaken);
        add(stories, "pin-of-previous-run", HistoryRecorder::pinOfPreviousRun);
        add(stories, "speculative-fill", HistoryRecorder::speculativeFill, Other.PREWARM);
        add(stories, "cancel", HistoryRecorder::cancel);
        add(stories, "abandon", HistoryRecorder::abandon);
        add(stories, "admission-queue", HistoryRecorder::admissionQueue, Other.PREWARM);
        add(stories, "fill-from-siblings", HistoryRecorder::fillFromSiblings, Other.PREWARM);
        add(stories, "budget", HistoryRecorder::budget, Other.PREWARM);
        return stories;
    }

    private static void add(
            Map<String, Story> stories, String name, Consumer<Platform> script, Other... others) {
        stories.put(name, new Story(script, List.of(others)));
    }

    /** Two regions, pins that end by release and by expiry, a TTL that ends, an eviction. */
    private static void life(Platform platform) {
        CompletableFuture<Receipt> us = platform.ensureAsync(US, pin("p", SHORT_LEASE));
        result(platform.ensureAsync(AP, null));
        result(us);
        refused(() -> platform.update("evict", new EvictRequest(US, "too early", false)));
        platform.workflow().update("pin", PinGrant.class, pin("q", LEASE));
        platform.passUntil("p has ended", () -> platform.status().pins().size() == 1);
        platform.update("unpin", new UnpinRequest(US, "q"));
        refused(() -> platform.update("evict", new EvictRequest(US, "sweep", true)));
        platform.update("setTtl", new TtlRequest(Duration.ofSeconds(2)));
        platform.pass(Duration.ofSeconds(3));
        platform.update("evict", new EvictRequest(US, "sweep", true));
        platform.update("setTtl", new TtlRequest(TTL));
        platform.ensure(US, null);
    }

    /** The first of two regions has lost its copy when the second one completes. */
    private static void severalRegions(Platform platform) {
        platform.ap.closeGate();
        CompletableFuture<Receipt> call =
                platform.ensureAsync(
                        new EnsureRequest(
                                US, pin("p", SHORT_LEASE), RequestTerms.USUAL, List.of(AP)));
        platform.passUntil("pinned", () -> platform.us.isPinned("p"));
        platform.passUntil("ended", () -> !platform.us.isPinned("p"));
        platform.us.loseChunk(0);
        platform.pass(Duration.ofSeconds(11));
        platform.ap.openGate();
        result(call);
    }

    private static void manyCallers(Platform platform) {
        platform.us.closeGate();
        List<CompletableFuture<Receipt>> calls =
                IntStream.range(0, 12)
                        .mapToObj(i -> platform.ensureAsync(US, pin("job" + i, LEASE)))
                        .toList();
        platform.us.openGate();
        calls.forEach(Platform::result);
    }

    private static void blockedAndResumed(Platform platform) {
        platform.control.failIngest(ErrorCode.LAKE_EMPTY);
        refused(() -> platform.ensure(US, pin("p", LEASE)));
        platform.us.fail(Step.WARM, ErrorCode.UNAVAILABLE, ErrorCode.LAKE_DENIED);
        refused(() -> platform.ensure(US, pin("p", LEASE)));
        platform.update("resume", new ResumeRequest(US));
        platform.passUntil("cached", () -> platform.residency(US).state() == State.CACHED);
    }

    private static void evictDuringFill(Platform platform) {
        platform.us.closeGate();
        CompletableFuture<Receipt> ensured = platform.ensureAsync(US, null);
        platform.passUntil("warming", () -> platform.us.count(Step.WARM) > 0);
        CompletableFuture<Void> evicted = platform.evictAsync(US);
        CompletableFuture<Receipt> next = platform.ensureAsync(US, pin("p", LEASE));
        result(evicted);
        platform.us.openGate();
        refused(() -> result(ensured));
        result(next);
    }

    private static void evictRefusedByPin(Platform platform) {
        platform.ensure(US, null);
        platform.us.pinBehindTheWorkflow("x", SHORT_LEASE);
        refused(() -> result(platform.evictAsync(US)));
        platform.pass(SHORT_LEASE);
        platform.us.fail(Step.DROP, ErrorCode.UNAVAILABLE);
        result(platform.evictAsync(US));
    }

    private static void lostMount(Platform platform) {
        platform.us.fail(Step.MOUNT, ErrorCode.UNAVAILABLE);
        platform.ensure(US, null);
        platform.us.forget();
        platform.us.fail(Step.WARM, ErrorCode.NOT_FOUND);
        platform.ensure(US, pin("p", LEASE));
    }

    /**
     * Copies that lose a chunk, found by callers with and without a pin. Then the region does not
     * answer.
     */
    private static void lostChunks(Platform platform) {
        platform.ensure(US, null);
        platform.us.loseChunk(3);
        platform.ensure(US, pin("p", LEASE));
        platform.us.loseChunk(5);
        platform.us.fail(Step.CONFIRM, ErrorCode.UNAVAILABLE);
        platform.pass(Duration.ofSeconds(11));
        List<CompletableFuture<Receipt>> calls =
                IntStream.range(0, 6)
                        .mapToObj(i -> platform.ensureAsync(US, i == 0 ? pin("q", LEASE) : null))
                        .toList();
        calls.forEach(Platform::result);
    }

    /** A run that begins with the state of another, as continue-as-new starts it. */
    private static void continueAsNew(Platform platform) {
        platform.ensure(US, pin("p", SHORT_LEASE));
        VersionStatus carried = platform.status();
        platform.workflow().terminate("to be continued");
        platform.start(new VersionInput(VERSION, TTL, carried));
        platform.passUntil("p has ended", () -> platform.status().pins().isEmpty());
        platform.ensure(US, pin("q", LEASE));
    }

    /** A victim whose workflow is asked to evict it, and an orphan without a workflow. */
    private static void sweep(Platform platform) {
        platform.ensure(US, null);
        platform.control.addVictim(
                new Victim(VERSION, SweepReason.EXPIRED, "expired", 10, null, null));
        platform.control.addVictim(
                new Victim(
                        DatasetVersion.of("team", "lost", "v1"),
                        SweepReason.ORPHAN,
                        "nobody owns it",
                        10,
                        null,
                        FakeControlPlane.MANIFEST));
        platform.sweep(US);
    }

    /** A copy that is read, and one that was used since a sweep chose it. */
    private static void ttlAfterRead(Platform platform) {
        platform.ensure(US, null);
        platform.pass(Duration.ofSeconds(2));
        Instant chosen = platform.residency(US).evictableAt();
        platform.update("setTtl", new TtlRequest(Duration.ofSeconds(20)));
        platform.pass(Duration.ofSeconds(4));
        platform.workflow().signal("read", new ReadReport(US, Duration.ofSeconds(1)));
        refused(() -> platform.update("evict", new EvictRequest(US, "full", false, chosen, false)));
        Instant read = platform.residency(US).evictableAt();
        platform.update("evict", new EvictRequest(US, "full", false, read, false));
    }

    /** A pinned copy that has lost a chunk. Then the region does not answer for long. */
    private static void repair(Platform platform) {
        platform.ensure(US, pin("p", LEASE));
        platform.workflow().signal("upkeep", US);
        platform.passUntil("asked", () -> platform.us.count(Step.CONFIRM) == 2);
        platform.us.loseChunk(3);
        platform.workflow().signal("upkeep", US);
        platform.passUntil("filled", () -> platform.us.count(Step.WARM) > 4);
        platform.passUntil("cached", () -> platform.residency(US).state() == State.CACHED);
        long asked = platform.us.count(Step.CONFIRM);
        platform.us.fail(Step.CONFIRM, ErrorCode.UNAVAILABLE);
        platform.workflow().signal("upkeep", US);
        platform.workflow().signal("upkeep", AP);
        platform.passUntil("asked again", () -> platform.us.count(Step.CONFIRM) == asked + 2);
    }

    /**
     * Partial coverage, deadlines that pass in one region and in two, a region that fails another.
     */
    private static void terms(Platform platform) {
        RequestTerms part = new RequestTerms(0.5, null, OnDeadline.FAIL, Urgency.INTERACTIVE);
        Duration soon = Duration.ofSeconds(2);
        RequestTerms orFail = new RequestTerms(1, soon, OnDeadline.FAIL, Urgency.INTERACTIVE);
        RequestTerms orCold = new RequestTerms(1, soon, OnDeadline.RUN_COLD, Urgency.INTERACTIVE);
        platform.us.closeGate(64);
        result(platform.ensureAsync(new EnsureRequest(US, pin("p", LEASE), part, List.of())));
        platform.ap.closeGate();
        refused(
                () ->
                        result(
                                platform.ensureAsync(
                                        new EnsureRequest(
                                                US, pin("q", LEASE), orFail, List.of(AP)))));
        result(platform.ensureAsync(new EnsureRequest(US, pin("r", LEASE), orCold, List.of())));
        platform.us.openGate();
        platform.ensure(US, null);
        platform.ap.openGate();
        platform.ensure(AP, null);
        result(platform.evictAsync(AP));
        platform.ap.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        refused(
                () ->
                        result(
                                platform.ensureAsync(
                                        new EnsureRequest(
                                                US,
                                                pin("s", LEASE),
                                                RequestTerms.USUAL,
                                                List.of(AP)))));
    }

    /** A deadline after the end of the pin, and one while a region is away. */
    private static void pinAfterDeadline(Platform platform) {
        RequestTerms orCold =
                new RequestTerms(
                        1, SHORT_LEASE.multipliedBy(2), OnDeadline.RUN_COLD, Urgency.INTERACTIVE);
        platform.us.closeGate(64);
        platform.ap.closeGate();
        result(
                platform.ensureAsync(
                        new EnsureRequest(US, pin("p", SHORT_LEASE), orCold, List.of(AP))));
        platform.us.setPinsWait(true);
        CompletableFuture<Receipt> away =
                platform.ensureAsync(new EnsureRequest(US, pin("q", LEASE), orCold, List.of()));
        platform.passUntil("late", away::isDone);
        platform.us.setPinsWait(false);
        platform.us.openGate();
        platform.ap.openGate();
        platform.ensure(US, null);
    }

    /** A pin that two requests take: the one that fails keeps it. */
    private static void sharedPin(Platform platform) {
        platform.ensure(US, pin("p", LEASE));
        platform.ap.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        refused(
                () ->
                        result(
                                platform.ensureAsync(
                                        new EnsureRequest(
                                                US,
                                                pin("p", LEASE),
                                                RequestTerms.USUAL,
                                                List.of(AP)))));
        platform.update("unpin", new UnpinRequest(US, "p"));
    }

    /** A pin that one request releases while another takes it. */
    private static void pinReleasedAndTaken(Platform platform) {
        platform.ensure(US, null);
        platform.us.setUnpinsWait(true);
        platform.ap.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        CompletableFuture<Receipt> failing =
                platform.ensureAsync(
                        new EnsureRequest(US, pin("p", LEASE), RequestTerms.USUAL, List.of(AP)));
        platform.passUntil("it is given back", () -> platform.us.count(Step.UNPIN) == 1);
        CompletableFuture<Receipt> second = platform.ensureAsync(US, pin("p", LEASE));
        platform.ensure(US, null);
        platform.us.setUnpinsWait(false);
        refused(() -> result(failing));
        result(second);
    }

    /** A pin that a request took in the previous run and releases in this one. */
    private static void pinOfPreviousRun(Platform platform) {
        platform.us.closeGate(32);
        EnsureRequest request = EnsureRequest.of(US, pin("p", LEASE));
        CompletableFuture<Receipt> _ = platform.ensureAsync("r", request);
        platform.passUntil("half of it", () -> platform.us.count(Step.WARM) == 2);
        platform.passUntil("it has the pin", () -> platform.us.isPinned("p"));
        VersionStatus carried = platform.status();
        platform.workflow().terminate("to be continued");
        platform.start(
                new VersionInput(
                        VERSION,
                        TTL,
                        carried,
                        List.of(),
                        List.of(new UnfinishedFill(US, Urgency.INTERACTIVE, true)),
                        List.of(new UnansweredRequest("r", List.of(US), null)),
                        List.of(),
                        List.of(new ProvisionalPin(US, "p", List.of("r")))));
        platform.passUntil("taken up", () -> platform.us.count(Step.WARM) > 2);
        CompletableFuture<Receipt> again = platform.ensureAsync("r", request);
        platform.us.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        platform.us.openGate();
        refused(() -> result(again));
    }

    /** A speculative fill, until a client waits for it. */
    private static void speculativeFill(Platform platform) {
        RequestTerms later = new RequestTerms(1, null, OnDeadline.FAIL, Urgency.SPECULATIVE);
        platform.us.closeGate(32);
        CompletableFuture<Receipt> speculative =
                platform.ensureAsync(new EnsureRequest(US, null, later, List.of()));
        platform.passUntil("warming", () -> platform.us.count(Step.WARM) == 2);
        CompletableFuture<Receipt> waiting = platform.ensureAsync(US, null);
        platform.passUntil("begun again", () -> platform.us.count(Step.WARM) == 3);
        platform.us.openGate();
        result(speculative);
        result(waiting);
    }

    /** A listing and a fill that are cancelled, and a fill that another client still wants. */
    private static void cancel(Platform platform) {
        platform.control.closeGate();
        CompletableFuture<Receipt> listing =
                platform.ensureAsync("listing", EnsureRequest.of(US, null));
        platform.passUntil("warming", () -> platform.residency(US).state() == State.WARMING);
        platform.update("cancel", new CancelRequest("listing"));
        refused(() -> result(listing));
        platform.control.openGate();
        platform.us.closeGate(32);
        CompletableFuture<Receipt> filling =
                platform.ensureAsync("filling", EnsureRequest.of(US, pin("p", LEASE)));
        platform.passUntil("half of it", () -> platform.us.count(Step.WARM) == 2);
        platform.update("cancel", new CancelRequest("filling"));
        refused(() -> result(filling));
        CompletableFuture<Receipt> one = platform.ensureAsync("one", EnsureRequest.of(US, null));
        CompletableFuture<Receipt> other = platform.ensureAsync(US, null);
        platform.passUntil("half of it", () -> platform.us.count(Step.WARM) == 4);
        platform.update("cancel", new CancelRequest("one"));
        refused(() -> result(one));
        platform.us.openGate();
        result(other);
    }

    private static void abandon(Platform platform) {
        platform.us.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        refused(() -> platform.ensure(US, pin("p", LEASE)));
        platform.update("abandon", new AbandonRequest(US, "wrong key"));
        platform.update("abandon", new AbandonRequest(US, "again"));
        platform.ensure(US, null);
    }

    /** A speculative request without space, until a client waits for it and space is free. */
    private static void admissionQueue(Platform platform) {
        RequestTerms later = new RequestTerms(1, null, OnDeadline.FAIL, Urgency.SPECULATIVE);
        platform.control.setQuota(1L << 40);
        platform.us.fail(
                Step.MOUNT,
                Collections.nCopies(1_000, ErrorCode.CAPACITY_EXCEEDED).toArray(ErrorCode[]::new));
        CompletableFuture<Receipt> speculative =
                platform.ensureAsync(new EnsureRequest(US, null, later, List.of()));
        platform.passUntil(
                "space was requested twice", () -> platform.control.spaceRequests().size() == 2);
        CompletableFuture<Receipt> waiting = platform.ensureAsync(US, null);
        platform.passUntil(
                "in a hurry",
                () -> platform.control.spaceRequests().getLast() == Urgency.INTERACTIVE);
        platform.us.recover(Step.MOUNT);
        result(speculative);
        result(waiting);
    }

    /** A speculative fill whose namespace has spent its budget, until a client waits for it. */
    private static void budget(Platform platform) {
        platform.control.setBudgetSpent(true);
        RequestTerms later = new RequestTerms(1, null, OnDeadline.FAIL, Urgency.SPECULATIVE);
        CompletableFuture<Receipt> hint =
                platform.ensureAsync("hint", new EnsureRequest(US, null, later, List.of()));
        platform.passUntil("it is refused", () -> platform.control.budgetRefusals() > 0);
        platform.ensure(US, null);
        result(hint);
    }

    /** A region that is filled from a sibling, and one for which the choice of siblings fails. */
    private static void fillFromSiblings(Platform platform) {
        platform.control.failSiblings();
        platform.ensure(AP, null);
        platform.control.setSiblings(
                new Sibling(URI.create("http://agent.ap-1.example:8080"), false));
        platform.ensure(US, pin("p", LEASE));
    }

    private static void refused(Runnable call) {
        try {
            call.run();
        } catch (WorkflowException | CompletionException expected) {
            return;
        }
        throw new AssertionError("not refused");
    }

    private void record(String name, Story story) throws IOException {
        try (Platform platform = Platform.on(target, "default", WorkflowImplementations.all())) {
            story.script().accept(platform);
            // The history includes the last projection and the ends of the last children.
            platform.passUntil(
                    "the catalogue knows",
                    () -> platform.control.projected().getLast().equals(platform.status()));
            save(platform, name + ".version", WorkflowIds.version(VERSION));
            for (Other other : story.others()) {
                save(platform, name + "." + other.name().toLowerCase(Locale.ROOT), other.id);
            }
            platform.workflow().terminate("recorded");
        }
    }

    /** A check that finds changes, and one that the lake denies. */
    private void recordChecks() throws IOException {
        try (Platform platform = Platform.on(target, "default", WorkflowImplementations.all())) {
            check(platform, DRIFT).run(VERSION.dataset());
            save(platform, DRIFT + ".drift", DRIFT);
            platform.control.failIngest(ErrorCode.LAKE_DENIED);
            String denied = DRIFT + "-denied";
            DriftCheckWorkflow check = check(platform, denied);
            refused(() -> check.run(VERSION.dataset()));
            save(platform, denied + ".drift", denied);
        }
    }

    private static DriftCheckWorkflow check(Platform platform, String id) {
        return platform.environment
                .getWorkflowClient()
                .newWorkflowStub(
                        DriftCheckWorkflow.class,
                        WorkflowOptions.newBuilder()
                                .setWorkflowId(id)
                                .setTaskQueue(TaskQueues.LIFECYCLE)
                                .build());
    }

    private void save(Platform platform, String name, String workflowId) throws IOException {
        String json =
                platform.environment.getWorkflowClient().fetchHistory(workflowId).toJson(false);
        Files.writeString(directory.resolve(name + ".json"), json);
    }
}
