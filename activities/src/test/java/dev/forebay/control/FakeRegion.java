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
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.SpaceClaim;
import io.temporal.activity.Activity;
import io.temporal.api.history.v1.HistoryEvent;
import io.temporal.api.workflow.v1.PendingActivityInfo;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowNotFoundException;
import io.temporal.common.Priority;
import io.temporal.failure.ApplicationFailure;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.worker.WorkerFactory;
import io.temporal.worker.WorkerOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
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
 * A region in memory that polls the real Temporal, so that tests of the control plane need no
 * workers. Pins live until they are released.
 */
final class FakeRegion implements RegionActivities, AutoCloseable {

    static final RegionName NAME = new RegionName("test-1");

    /** The bytes of a version that are present before it is filled. */
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
    private final Map<DatasetVersion, SpaceClaim> claims = new ConcurrentHashMap<>();
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

    /** Returns the number of batches of chunks that were filled. */
    int warmed() {
        return warmed.get();
    }

    /** Ends a workflow, as an operator would. */
    void terminate(String workflowId) {
        client.newUntypedWorkflowStub(workflowId).terminate("test");
    }

    /** Returns the time of the last heartbeat of any activity of a workflow. */
    Instant lastHeartbeat(String workflowId) {
        return client
                .newUntypedWorkflowStub(workflowId)
                .describe()
                .getRawDescription()
                .getPendingActivitiesList()
                .stream()
                .map(PendingActivityInfo::getLastHeartbeatTime)
                .map(time -> Instant.ofEpochSecond(time.getSeconds(), time.getNanos()))
                .max(Comparator.naturalOrder())
                .orElse(Instant.EPOCH);
    }

    /** Returns whether a workflow with this id was ever started. */
    boolean hasWorkflow(String workflowId) {
        try {
            return client.newUntypedWorkflowStub(workflowId).describe() != null;
        } catch (WorkflowNotFoundException never) {
            return false;
        }
    }

    /** Makes every mount fail without a retry, until {@link #mountsSucceed}. */
    void mountsFailForGood(String code, String message) {
        mountFailure = ApplicationFailure.newNonRetryableFailure(message, code);
    }

    /** Makes every mount fail with a retry, until {@link #mountsSucceed}. */
    void mountsFail(String code, String message) {
        mountFailure = ApplicationFailure.newFailure(message, code);
    }

    void mountsSucceed() {
        mountFailure = null;
    }

    /** Makes fills wait until {@link #open}. */
    void shut() {
        gate = new CountDownLatch(1);
    }

    void open() {
        gate.countDown();
    }

    /** Makes evictions wait, once they are fenced, until {@link #letDrop}. */
    void holdDrops() {
        drops = new CountDownLatch(1);
    }

    void letDrop() {
        drops.countDown();
    }

    /** Returns the priority of a version's listing in Temporal; 1 is the highest. */
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

    /** Returns the priority of the last fill of a version. */
    Priority priority(DatasetVersion version) {
        return Objects.requireNonNull(priorities.get(version));
    }

    boolean holds(DatasetVersion version, String pinId) {
        return pins.containsKey(version + "/" + pinId);
    }

    /** Returns all pins, each as version and id, joined by a slash. */
    Set<String> pins() {
        return Set.copyOf(pins.keySet());
    }

    /** Loses the bytes of a version. */
    void forget(DatasetVersion version) {
        filled.remove(version);
    }

    /** Returns whether the region was ever asked to drop a version. */
    boolean hasDropped(DatasetVersion version) {
        return dropped.contains(version);
    }

    /**
     * Refuses all admissions.
     *
     * @param reason why there is no capacity; null admits versions again
     */
    void full(@Nullable String reason) {
        fullBecause = reason;
    }

    /** Sets whether the region refuses the next admission, and only that one. */
    void refuseOnce(boolean value) {
        refusesOnce = value;
    }

    /** Returns the claim of the last admission of a version. */
    SpaceClaim claim(DatasetVersion version) {
        return Objects.requireNonNull(claims.get(version));
    }

    @Override
    public String admit(DatasetVersion version, ManifestRef manifest, SpaceClaim claim) {
        claims.put(version, claim);
        String reason = fullBecause;
        if (refusesOnce) {
            refusesOnce = false;
            reason = "first in the queue of test-1";
        }
        if (reason != null) {
            throw Failures.of(new ForebayException(ErrorCode.CAPACITY_EXCEEDED, reason));
        }
        ApplicationFailure failure = mountFailure;
        if (failure != null) {
            throw failure;
        }
        return "/mnt/test/" + version.path();
    }

    /** Returns the siblings of the last fill of a version; empty if there was no such call. */
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
            // The heartbeat ends an attempt that was cancelled.
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
