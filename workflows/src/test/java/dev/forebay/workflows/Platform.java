package dev.forebay.workflows;

import dev.forebay.lifecycle.Lifecycle;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.activity.SweepActivities;
import dev.forebay.workflows.input.VersionInput;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.TtlRequest;
import dev.forebay.workflows.message.VersionStatus;
import dev.forebay.workflows.version.WorkflowImplementations;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.temporal.api.enums.v1.WorkflowIdConflictPolicy;
import io.temporal.api.history.v1.HistoryEvent;
import io.temporal.client.UpdateOptions;
import io.temporal.client.WithStartWorkflowOperation;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.client.WorkflowException;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowStub;
import io.temporal.client.WorkflowUpdateStage;
import io.temporal.failure.ApplicationFailure;
import io.temporal.testing.TestEnvironmentOptions;
import io.temporal.testing.TestWorkflowEnvironment;
import io.temporal.worker.Worker;
import io.temporal.worker.WorkerOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The workflows with two fake regions, on Temporal's in-JVM test server, which skips time, or on a
 * real server.
 */
public final class Platform implements AutoCloseable {

    public static final RegionName US = new RegionName("us-1");
    public static final RegionName AP = new RegionName("ap-1");
    public static final DatasetVersion VERSION = DatasetVersion.of("team", "digits", "v1");
    static final Duration TTL = Duration.ofHours(1);

    private static final int MOST_ATTEMPTS = 100;
    private static final int WARM_UPS = 3;

    /** The text of a server's error for an update whose run has ended. */
    private static final String ENDED_MEANWHILE = "AcceptedUpdateCompletedWorkflow";

    private static final Duration LONGEST_PASS = Duration.ofDays(1);
    private static final Duration SHORTEST_STEP = Duration.ofMillis(100);
    private static final Duration LONGEST_STEP = Duration.ofMinutes(1);

    private static final WorkerOptions QUICK_TO_CANCEL =
            WorkerOptions.newBuilder()
                    .setMaxHeartbeatThrottleInterval(Duration.ofMillis(50))
                    .build();

    private static boolean isWarm;

    final TestWorkflowEnvironment environment;
    public final FakeControlPlane control = new FakeControlPlane();
    public final FakeRegion us;
    public final FakeRegion ap;

    /** Starts the real implementations. */
    public static Platform start() {
        warmUp();
        return new Platform(WorkflowImplementations.all());
    }

    /**
     * Runs the first workflow of this JVM, which loads its classes. The in-JVM server never answers
     * an update-with-start that is not accepted within 10 s, which happens on a busy machine.
     */
    private static synchronized void warmUp() {
        for (int i = 1; !isWarm && i <= WARM_UPS; i++) {
            try (Platform first = new Platform(WorkflowImplementations.all())) {
                Receipt _ = first.ensure(US, null);
                isWarm = true;
            } catch (WorkflowException notAccepted) {
                // The classes are loaded now.
            }
        }
    }

    Platform(Class<?>... workflows) {
        this(TestEnvironmentOptions.newBuilder(), workflows);
    }

    /** Connects to a real Temporal server, which cannot skip time. */
    static Platform on(String target, String namespace, Class<?>... workflows) {
        return new Platform(
                TestEnvironmentOptions.newBuilder()
                        .setUseExternalService(true)
                        .setTarget(target)
                        .setWorkflowClientOptions(
                                WorkflowClientOptions.newBuilder()
                                        .setNamespace(namespace)
                                        .setIdentity("recorder")
                                        .build()),
                workflows);
    }

    private Platform(TestEnvironmentOptions.Builder options, Class<?>... workflows) {
        SearchAttributes.ALL.forEach(
                key -> options.registerSearchAttribute(key.getName(), key.getValueType()));
        environment = TestWorkflowEnvironment.newInstance(options.build());
        us = new FakeRegion(this::now);
        ap = new FakeRegion(this::now);
        Worker lifecycle = environment.newWorker(TaskQueues.LIFECYCLE);
        lifecycle.registerWorkflowImplementationTypes(workflows);
        lifecycle.registerActivitiesImplementations(control);
        environment.newWorker(TaskQueues.INGEST).registerActivitiesImplementations(control);
        environment.newWorker(TaskQueues.TRACKING).registerActivitiesImplementations(control);
        poll(US, us);
        poll(AP, ap);
        environment.start();
    }

    private void poll(RegionName name, FakeRegion region) {
        for (String queue : List.of(TaskQueues.region(name), TaskQueues.warm(name))) {
            environment.newWorker(queue, QUICK_TO_CANCEL).registerActivitiesImplementations(region);
        }
    }

    public Instant now() {
        return Instant.ofEpochMilli(environment.currentTimeMillis());
    }

    WorkflowStub workflow() {
        return environment.getWorkflowClient().newUntypedWorkflowStub(WorkflowIds.version(VERSION));
    }

    public VersionStatus status() {
        return again(() -> workflow().query("status", VersionStatus.class));
    }

    public Residency residency(RegionName region) {
        return Lifecycle.residency(status(), region);
    }

    /**
     * Repeats a call that came between two runs, or whose run ended before the answer, as the
     * control plane does.
     */
    private static <T extends @Nullable Object> T again(Supplier<T> call) {
        for (int i = 1; ; i++) {
            try {
                return call.get();
            } catch (WorkflowException | StatusRuntimeException failure) {
                if (i == MOST_ATTEMPTS || !isBetweenRuns(failure)) {
                    throw failure;
                }
            }
        }
    }

    private static boolean isBetweenRuns(RuntimeException failure) {
        Throwable cause = failure instanceof WorkflowException ? failure.getCause() : failure;
        return switch (cause) {
            case StatusRuntimeException refusal ->
                    refusal.getStatus().getCode() == Status.Code.NOT_FOUND;
            case ApplicationFailure answer -> answer.getType().equals(ENDED_MEANWHILE);
            case null, default -> false;
        };
    }

    public static PinRequest pin(String id, Duration lease) {
        return new PinRequest(US, id, "job-" + id, "training", lease);
    }

    private DatasetVersionWorkflow stub() {
        return environment
                .getWorkflowClient()
                .newWorkflowStub(
                        DatasetVersionWorkflow.class,
                        WorkflowOptions.newBuilder()
                                .setWorkflowId(WorkflowIds.version(VERSION))
                                .setTaskQueue(TaskQueues.LIFECYCLE)
                                .setWorkflowIdConflictPolicy(
                                        WorkflowIdConflictPolicy
                                                .WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING)
                                .build());
    }

    public void start(VersionInput input) {
        WorkflowClient.start(stub()::run, input);
    }

    /** Runs one sweep to its end. */
    List<SweepActivities.Outcome> sweep(RegionName region) {
        return environment
                .getWorkflowClient()
                .newWorkflowStub(
                        EvictionSweepWorkflow.class,
                        WorkflowOptions.newBuilder()
                                .setWorkflowId(WorkflowIds.sweep(region))
                                .setTaskQueue(TaskQueues.LIFECYCLE)
                                .build())
                .run(region);
    }

    /** Sends a request with the usual terms and does not wait. */
    public CompletableFuture<Receipt> ensureAsync(RegionName region, @Nullable PinRequest pin) {
        return ensureAsync(EnsureRequest.of(region, pin));
    }

    /** Sends a request by update-with-start and does not wait. */
    public CompletableFuture<Receipt> ensureAsync(EnsureRequest request) {
        return ensureAsync(UUID.randomUUID().toString(), request);
    }

    /** As above, with an id for a later cancellation. */
    public CompletableFuture<Receipt> ensureAsync(String id, EnsureRequest request) {
        return ensureAsync(id, request, new VersionInput(VERSION, TTL, null));
    }

    /** As above, with the input of the workflow that the request starts if none is running. */
    public CompletableFuture<Receipt> ensureAsync(
            String id, EnsureRequest request, VersionInput input) {
        return again(
                        () -> {
                            DatasetVersionWorkflow stub = stub();
                            return WorkflowClient.startUpdateWithStart(
                                    stub::ensureCached,
                                    request,
                                    UpdateOptions.<Receipt>newBuilder()
                                            .setUpdateId(id)
                                            .setWaitForStage(WorkflowUpdateStage.ACCEPTED)
                                            .setResultClass(Receipt.class)
                                            .build(),
                                    new WithStartWorkflowOperation<>(stub::run, input));
                        })
                .getResultAsync();
    }

    public Receipt ensure(RegionName region, @Nullable PinRequest pin) {
        return result(ensureAsync(region, pin));
    }

    public void update(String name, Object request) {
        var _ = again(() -> workflow().update(name, Void.class, request));
    }

    void setTtl(Duration ttl) {
        update("setTtl", new TtlRequest(ttl));
    }

    PinGrant take(PinRequest request) {
        return again(() -> workflow().update("pin", PinGrant.class, request));
    }

    public CompletableFuture<PinGrant> pinAsync(PinRequest request) {
        return workflow()
                .startUpdate("pin", WorkflowUpdateStage.ACCEPTED, PinGrant.class, request)
                .getResultAsync();
    }

    public CompletableFuture<Void> evictAsync(RegionName region) {
        return workflow()
                .startUpdate(
                        "evict",
                        WorkflowUpdateStage.ACCEPTED,
                        Void.class,
                        new EvictRequest(region, "test", false))
                .getResultAsync();
    }

    /** Returns how many updates the history of the present run contains. */
    long acceptedUpdates() {
        return history().stream()
                .filter(HistoryEvent::hasWorkflowExecutionUpdateAcceptedEventAttributes)
                .count();
    }

    /** Returns the events of the present run. */
    List<HistoryEvent> history() {
        return environment
                .getWorkflowClient()
                .fetchHistory(WorkflowIds.version(VERSION))
                .getEvents();
    }

    /** Waits for the result with the timeout of a test. Unwraps no exceptions. */
    public static <T> T result(CompletableFuture<T> future) {
        return future.orTimeout(120, TimeUnit.SECONDS).join();
    }

    /** Advances the workflow's time. */
    public void pass(Duration time) {
        environment.sleep(time);
    }

    /**
     * Advances the workflow's time until a condition holds, at most by a day. Each step is a
     * fraction of the time that has passed, because a server that cannot skip time needs the real
     * time for a step.
     */
    public void passUntil(String what, BooleanSupplier condition) {
        Instant begin = now();
        while (!condition.getAsBoolean()) {
            Duration passed = Duration.between(begin, now());
            if (passed.compareTo(LONGEST_PASS) > 0) {
                throw new AssertionError("never: " + what);
            }
            Duration step = Collections.max(List.of(passed.dividedBy(8), SHORTEST_STEP));
            environment.sleep(Collections.min(List.of(step, LONGEST_STEP)));
        }
    }

    @Override
    public void close() {
        us.openGate();
        us.setPinsWait(false);
        us.setUnpinsWait(false);
        us.setRemaindersWait(false);
        ap.openGate();
        // Otherwise the server waits up to a minute for calls that the workflow never answers.
        environment.getWorkflowServiceStubs().getRawChannel().shutdownNow();
        try {
            environment.close();
        } catch (StatusRuntimeException unlocking) {
            // Closing ends with a call that unlocks time skipping, which fails on the closed
            // channel.
            if (unlocking.getStatus().getCode() != Status.Code.UNAVAILABLE) {
                throw unlocking;
            }
        }
    }
}
