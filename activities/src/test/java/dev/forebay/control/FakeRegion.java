package dev.forebay.control;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.model.Sibling;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.TaskQueues;
import dev.forebay.workflows.WorkflowIds;
import dev.forebay.workflows.activity.RegionActivities;
import dev.forebay.workflows.message.Claim;
import dev.forebay.workflows.message.PinRequest;
import io.temporal.activity.Activity;
import io.temporal.api.history.v1.HistoryEvent;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowNotFoundException;
import io.temporal.common.Priority;
import io.temporal.failure.ApplicationFailure;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.worker.WorkerFactory;
import io.temporal.worker.WorkerOptions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A region in memory, polled for on the real Temporal: the control plane's tests need no workers.
 * Pins live until they are let go of.
 */
final class FakeRegion implements RegionActivities, AutoCloseable {

    static final RegionName NAME = new RegionName("test-1");

    /** So many bytes of a version are there before it is filled. */
    static final long PART = 5;

    private static final Duration BEAT = Duration.ofMillis(200);

    private final Map<String, PinRequest> pins = new ConcurrentHashMap<>();
    private final AtomicInteger warmed = new AtomicInteger();
    private final Set<DatasetVersion> filled = ConcurrentHashMap.newKeySet();
    private final Set<DatasetVersion> dropped = ConcurrentHashMap.newKeySet();
    private final Map<DatasetVersion, List<Sibling>> sources = new ConcurrentHashMap<>();
    private final Map<DatasetVersion, Priority> priorities = new ConcurrentHashMap<>();
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile CountDownLatch drops = new CountDownLatch(0);
    private final Map<DatasetVersion, Claim> claims = new ConcurrentHashMap<>();
    private volatile @Nullable ApplicationFailure mountFailure;
    private volatile @Nullable String fullBecause;
    private volatile boolean refusesOnce;
    private final WorkflowServiceStubs stubs;
    private final WorkflowClient client;
    private final WorkerFactory factory;

    FakeRegion(String target) {
        stubs =
                WorkflowServiceStubs.newServiceStubs(
                        WorkflowServiceStubsOptions.newBuilder().setTarget(target).build());
        client = WorkflowClient.newInstance(stubs);
        factory = WorkerFactory.newInstance(client);
        WorkerOptions options =
                WorkerOptions.newBuilder().setMaxHeartbeatThrottleInterval(BEAT).build();
        factory.newWorker(TaskQueues.region(NAME), options).registerActivitiesImplementations(this);
        factory.newWorker(TaskQueues.warm(NAME), options).registerActivitiesImplementations(this);
        factory.start();
    }

    /** How many batches of chunks were filled. */
    int warmed() {
        return warmed.get();
    }

    /** Ends a workflow as an operator would. */
    void terminate(String workflowId) {
        client.newUntypedWorkflowStub(workflowId).terminate("test");
    }

    /** Whether a workflow with this id was ever started. */
    boolean hasWorkflow(String workflowId) {
        try {
            return client.newUntypedWorkflowStub(workflowId).describe() != null;
        } catch (WorkflowNotFoundException never) {
            return false;
        }
    }

    /** Lets every mount fail for good until {@link #mountsSucceed}. */
    void mountsFailForGood(String code, String message) {
        mountFailure = ApplicationFailure.newNonRetryableFailure(message, code);
    }

    /** Lets every mount fail and be tried again until {@link #mountsSucceed}. */
    void mountsFail(String code, String message) {
        mountFailure = ApplicationFailure.newFailure(message, code);
    }

    void mountsSucceed() {
        mountFailure = null;
    }

    /** Lets fillings wait until {@link #open}. */
    void shut() {
        gate = new CountDownLatch(1);
    }

    void open() {
        gate.countDown();
    }

    /** Lets evictions wait, once they are fenced, until {@link #letDrop}. */
    void holdDrops() {
        drops = new CountDownLatch(1);
    }

    void letDrop() {
        drops.countDown();
    }

    /** The priority that the listing of a version has in Temporal; 1 is the highest. */
    int listingPriority(DatasetVersion version) {
        return client
                .fetchHistory(WorkflowIds.ingest(version))
                .getHistory()
                .getEventsList()
                .stream()
                .filter(HistoryEvent::hasActivityTaskScheduledEventAttributes)
                .findFirst()
                .orElseThrow()
                .getActivityTaskScheduledEventAttributes()
                .getPriority()
                .getPriorityKey();
    }

    /** The priority that the last warming of a version had. */
    Priority priority(DatasetVersion version) {
        return Objects.requireNonNull(priorities.get(version));
    }

    boolean holds(DatasetVersion version, String pinId) {
        return pins.containsKey(version + "/" + pinId);
    }

    /** All pins, each as its version and its id with a slash between. */
    Set<String> pins() {
        return Set.copyOf(pins.keySet());
    }

    /** Has lost what it was filled with of a version. */
    void forget(DatasetVersion version) {
        filled.remove(version);
    }

    /** Whether it was ever told to drop a version. */
    boolean hasDropped(DatasetVersion version) {
        return dropped.contains(version);
    }

    @Override
    public String mount(DatasetVersion version, ManifestRef manifest) {
        ApplicationFailure failure = mountFailure;
        if (failure != null) {
            throw failure;
        }
        return "/mnt/test/" + version.path();
    }

    /** While there is no room it has everybody wait; {@code reason} says why. */
    void full(@Nullable String reason) {
        fullBecause = reason;
    }

    /** Has the next one wait that wants room, until he asks again. */
    void refuseOnce(boolean value) {
        refusesOnce = value;
    }

    /** On what ground the last version wanted room. */
    Claim claim(DatasetVersion version) {
        return Objects.requireNonNull(claims.get(version));
    }

    @Override
    public String admit(DatasetVersion version, ManifestRef manifest, Claim claim) {
        claims.put(version, claim);
        String reason = fullBecause;
        if (refusesOnce) {
            refusesOnce = false;
            reason = "first in the queue of test-1";
        }
        if (reason != null) {
            throw Failures.of(new ForebayException(ErrorCode.CAPACITY_EXCEEDED, reason));
        }
        return mount(version, manifest);
    }

    /** Which regions a version was last to be filled from; empty if nobody has said so. */
    Optional<List<Sibling>> sources(DatasetVersion version) {
        return Optional.ofNullable(sources.get(version));
    }

    @Override
    public void fillFrom(DatasetVersion version, List<Sibling> siblings) {
        sources.put(version, siblings);
    }

    @Override
    public WarmResult warm(
            DatasetVersion version, ManifestRef manifest, long fromOrdinal, long toOrdinal) {
        priorities.put(version, Activity.getExecutionContext().getInfo().getPriority());
        WarmProgress progress = new WarmProgress(fromOrdinal, PART, PART, 1);
        try {
            // A heartbeat of an attempt that nobody waits for any more ends it.
            do {
                Activity.getExecutionContext().heartbeat(progress);
            } while (!gate.await(BEAT.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        warmed.incrementAndGet();
        filled.add(version);
        return new WarmResult(manifest.bytes(), manifest.bytes(), manifest.objects());
    }

    @Override
    public Coverage confirm(DatasetVersion version, ManifestRef manifest) {
        return filled.contains(version)
                ? new Coverage(manifest.bytes(), -1, 0, 0)
                : new Coverage(PART, 0, PART, 0);
    }

    @Override
    public Duration pin(DatasetVersion version, PinRequest request) {
        PinRequest held =
                pins.compute(
                        version + "/" + request.id(),
                        (key, there) ->
                                there == null || there.holder().equals(request.holder())
                                        ? request
                                        : there);
        if (!held.holder().equals(request.holder())) {
            throw Failures.of(
                    new ForebayException(
                            ErrorCode.ALREADY_EXISTS, "it is held by " + held.holder()));
        }
        return request.lease();
    }

    @Override
    public Map<String, Duration> remaining(DatasetVersion version, List<String> pinIds) {
        Map<String, Duration> alive = new HashMap<>();
        for (String id : pinIds) {
            PinRequest pin = pins.get(version + "/" + id);
            if (pin != null) {
                alive.put(id, pin.lease());
            }
        }
        return alive;
    }

    @Override
    public void unpin(DatasetVersion version, String pinId) {
        pins.remove(version + "/" + pinId);
    }

    @Override
    public void beginEviction(DatasetVersion version) {
        if (pins.keySet().stream().anyMatch(key -> key.startsWith(version + "/"))) {
            throw Failures.of(new ForebayException(ErrorCode.PINNED, version + " is pinned"));
        }
    }

    @Override
    public void drop(DatasetVersion version, ManifestRef manifest) {
        try {
            drops.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        filled.remove(version);
        dropped.add(version);
    }

    @Override
    public void close() {
        factory.shutdownNow();
        stubs.shutdownNow();
    }
}
