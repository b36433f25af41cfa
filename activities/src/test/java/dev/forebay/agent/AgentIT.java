package dev.forebay.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.agent.RegionCalls.Call;
import dev.forebay.agent.RegionCalls.Step;
import dev.forebay.agent.workers.FakeWorker;
import dev.forebay.devstack.fault.Http2Probe;
import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.devstack.server.TemporalServer;
import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.write.ManifestWriter;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.membership.etcd.EtcdConfig;
import dev.forebay.membership.etcd.EtcdRegionState;
import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.placement.WorkerNode;
import dev.forebay.testing.Api;
import dev.forebay.testing.ApplicationProcess;
import dev.forebay.testing.Await;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.WorkflowIds;
import dev.forebay.workflows.activity.RegionActivities.WarmProgress;
import dev.forebay.workflows.message.PinRequest;
import io.temporal.api.enums.v1.PendingActivityState;
import io.temporal.api.workflow.v1.PendingActivityInfo;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowStub;
import io.temporal.common.converter.DefaultDataConverter;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.worker.WorkerFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged agent with a real etcd, Temporal and S3, and a worker in memory. */
@SuppressWarnings("NullAway.Init")
class AgentIT {

    private static final RegionName REGION = new RegionName("test-1");
    private static final int CHUNKS = 40;
    private static final String QUEUE = "test";
    private static final long LIMIT_SECONDS = 120;
    private static final Map<String, ManifestRef> MANIFESTS = new ConcurrentHashMap<>();

    @TempDir static Path directory;

    private static EtcdServer etcd;
    private static TemporalServer temporal;
    private static S3Server s3;
    private static ApplicationProcess agent;
    private static EtcdRegionState region;
    private static WorkflowServiceStubs stubs;
    private static WorkflowClient client;
    private static WorkerFactory workflows;
    private static ManifestRef manifest;

    @BeforeAll
    static void start() throws Exception {
        etcd = EtcdServer.start(directory.resolve("etcd"));
        temporal = TemporalServer.start(directory.resolve("temporal"));
        s3 = S3Server.start(directory.resolve("s3")).createBucket("forebay");
        manifest = written("any");
        agent =
                ApplicationProcess.start(
                        "agent",
                        directory.resolve("agent"),
                        Map.of(
                                "forebay.role",
                                "agent",
                                "forebay.region",
                                REGION.value(),
                                "forebay.etcd.endpoints",
                                etcd.endpoint().toString(),
                                "forebay.lake.endpoint",
                                s3.endpoint().toString(),
                                "forebay.temporal.target",
                                temporal.target(),
                                "forebay.worker-grace",
                                "2S",
                                "forebay.warm.concurrency",
                                "4",
                                "forebay.warm.activities",
                                "2"),
                        Map.of(
                                "AWS_ACCESS_KEY_ID", s3.accessKey(),
                                "AWS_SECRET_ACCESS_KEY", s3.secretKey()));
        region =
                EtcdRegionState.connect(
                        EtcdConfig.of(List.of(etcd.endpoint()))
                                .withRequestTimeout(Duration.ofSeconds(30)),
                        REGION);
        stubs =
                WorkflowServiceStubs.newServiceStubs(
                        WorkflowServiceStubsOptions.newBuilder()
                                .setTarget(temporal.target())
                                .build());
        client = WorkflowClient.newInstance(stubs);
        workflows = WorkerFactory.newInstance(client);
        workflows.newWorker(QUEUE).registerWorkflowImplementationTypes(RegionCalls.Impl.class);
        workflows.start();
    }

    @AfterAll
    static void stop() {
        workflows.shutdownNow();
        stubs.shutdownNow();
        region.close();
        agent.close();
        s3.close();
        temporal.close();
        etcd.close();
    }

    @AfterEach
    void removeWorkers() {
        region.view()
                .workers()
                .forEach(worker -> region.remove(worker.id(), Duration.ofSeconds(1)));
        Await.until("no worker", () -> region.view().workers().isEmpty());
    }

    @Test
    void theAgentMountsFillsPinsAndEvictsAVersion() throws Exception {
        DatasetVersion version = DatasetVersion.parse("team/life@v1");
        try (FakeWorker worker = new FakeWorker("life", Integer.MAX_VALUE);
                AutoCloseable presence = region.join(worker.node())) {
            assertThat(presence).isNotNull();
            region.mount(version, manifest(version));
            assertThat(call(Step.WARM, version))
                    .contains("bytesVerified=" + manifest.bytes())
                    .contains("bytesFromLake=" + CHUNKS * 10);
            assertThat(worker.filled()).hasSize(CHUNKS).doesNotHaveDuplicates();
            assertThat(call(Step.CONFIRM, version)).contains("firstMissing=-1");
            Await.until("cached", () -> state(version) == Mount.State.CACHED);

            PinRequest pin =
                    new PinRequest(REGION, "p1", "me", "why", Duration.ofSeconds(30), "job-uid");
            call(Step.PIN, version, pin);
            assertThat(call(Step.REMAINING, version, pin)).isEqualTo("[p1]");
            Api gateway = new Api(agent.address());
            Api.Answer renewed = gateway.post("/v1/pins/team/life/v1/p1/renew", "");
            assertThat(renewed.status()).as(renewed.raw().body()).isEqualTo(200);
            assertThat(renewed.body().get("remaining_seconds").asLong()).isBetween(1L, 30L);
            assertThat(renewed.text("holder")).isEqualTo("me");
            assertThat(renewed.text("job")).isEqualTo("job-uid");
            Await.until(
                    "the agent knows the pin",
                    () -> gateway.get("/v1/pins").body().at("/pins/0/id").asText().equals("p1"));
            JsonNode held = gateway.get("/v1/pins").body().at("/pins/0");
            assertThat(held.get("job").asText()).isEqualTo("job-uid");
            assertThat(held.get("lease_seconds").asLong()).isEqualTo(30);
            assertThat(held.get("remaining_seconds").asLong()).isBetween(1L, 30L);
            assertThat(gateway.post("/v1/pins/team/life/v1/p2/renew", "").status()).isEqualTo(404);
            Api.Answer report = gateway.get("/v1/region");
            assertThat(report.body().at("/workers/0/used_bytes").asLong()).isEqualTo(7);

            assertThatThrownBy(() -> call(Step.BEGIN_EVICTION, version))
                    .satisfies(
                            e ->
                                    assertThat(Failures.problem(e).code())
                                            .isEqualTo(ErrorCode.PINNED));
            call(Step.UNPIN, version, pin);
            call(Step.BEGIN_EVICTION, version);
            call(Step.DROP, version);
            assertThat(worker.filled()).isEmpty();
            Await.until("unmounted", () -> state(version) == null);
        }
    }

    /** "Plans". */
    @Test
    void aSurveyReportsTheRegionAndChangesNothing() throws Exception {
        DatasetVersion version = DatasetVersion.parse("team/surveyed@v1");
        Api gateway = new Api(agent.address());
        try (FakeWorker worker = new FakeWorker("surveyed", Integer.MAX_VALUE);
                AutoCloseable presence = region.join(worker.node())) {
            assertThat(presence).isNotNull();
            Await.until(
                    "the agent knows only this worker",
                    () ->
                            region.view().workers().size() == 1
                                    && knowsOnly(gateway, worker.node().id()));
            RegionView before = region.view();

            JsonNode absent = survey(gateway, version);

            assertThat(absent.at("/missing/bytes").asLong()).isEqualTo(manifest.bytes());
            assertThat(absent.at("/missing/objects").asLong()).isEqualTo(1);
            assertThat(absent.at("/missing/lake_requests").asLong()).isEqualTo(CHUNKS);
            assertThat(absent.get("needed_bytes").asLong()).isEqualTo(manifest.spaceBytes());
            assertThat(worker.filled()).isEmpty();
            assertThat(region.view()).isEqualTo(before);

            region.mount(version, manifest(version));
            call(Step.WARM, version);
            Await.until(
                    "the agent knows the mount",
                    () -> survey(gateway, version).get("needed_bytes").asLong() == 0);
            JsonNode full = survey(gateway, version);

            assertThat(full.at("/missing/bytes").asLong()).isZero();
            assertThat(full.at("/missing/exact").asBoolean()).isTrue();
            assertThat(full.get("taken_bytes").asLong())
                    .isEqualTo(absent.get("taken_bytes").asLong() + manifest.spaceBytes());
            assertThat(full.get("speed").has("rate")).isTrue();
            assertThat(full.get("capacity_bytes").asLong())
                    .isEqualTo(worker.node().capacityBytes());
            assertThat(worker.filled()).hasSize(CHUNKS);
            call(Step.BEGIN_EVICTION, version);
            call(Step.DROP, version);
        }
    }

    private static boolean knowsOnly(Api gateway, String worker) {
        JsonNode workers = gateway.get("/v1/region").body().at("/workers");
        return workers.size() == 1
                && workers.at("/0/id").asText().equals(worker)
                && workers.at("/0/live").asBoolean();
    }

    private static JsonNode survey(Api gateway, DatasetVersion version) {
        Api.Answer answer =
                gateway.post(
                        "/v1/survey",
                        """
                        {"version":"%s","manifest":{"uri":"%s","digest":{"hex":"%s"},"objects":1,
                        "bytes":%d,"chunks":%d}}"""
                                .formatted(
                                        version,
                                        manifest(version).uri(),
                                        manifest(version).digest().hex(),
                                        manifest.bytes(),
                                        manifest.chunks()));
        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
        return answer.body();
    }

    /** "A pinned version that loses workers". */
    @Test
    void theAgentSignalsTheWorkflowWhenAPinnedVersionLosesAWorker() throws Exception {
        Api gateway = new Api(agent.address());
        DatasetVersion version = DatasetVersion.parse("team/upkeep@v1");
        PinRequest pin = new PinRequest(REGION, "p1", "me", "why", Duration.ofMinutes(5));
        // No worker executes this workflow, so the signal stays in its history.
        client.newUntypedWorkflowStub(
                        "Anything",
                        WorkflowOptions.newBuilder()
                                .setWorkflowId(WorkflowIds.version(version))
                                .setTaskQueue("nobody")
                                .build())
                .start();
        try (FakeWorker one = new FakeWorker("keeper", Integer.MAX_VALUE);
                AutoCloseable first = region.join(one.node())) {
            assertThat(first).isNotNull();
            region.mount(version, manifest(version));
            try (FakeWorker other = new FakeWorker("goner", Integer.MAX_VALUE);
                    AutoCloseable second = region.join(other.node())) {
                assertThat(second).isNotNull();
                Await.until("the agent knows both workers", () -> live(gateway) == 2);
                call(Step.WARM, version);
                assertThat(other.filled()).isNotEmpty();
                assertThat(call(Step.CONFIRM, version)).contains("firstMissing=-1");
                call(Step.PIN, version, pin);
            }

            Await.until("the workflow has the signal", () -> signals(version).contains("upkeep"));
            call(Step.UNPIN, version, pin);
        }
    }

    /**
     * Returns how many live workers the agent knows. It learns of them a moment after they
     * register.
     */
    private static int live(Api gateway) {
        int live = 0;
        for (JsonNode worker : gateway.get("/v1/region").body().at("/workers")) {
            live += worker.get("live").asBoolean() ? 1 : 0;
        }
        return live;
    }

    private static List<String> signals(DatasetVersion version) {
        return client.fetchHistory(WorkflowIds.version(version)).getEvents().stream()
                .filter(event -> event.hasWorkflowExecutionSignaledEventAttributes())
                .map(event -> event.getWorkflowExecutionSignaledEventAttributes().getSignalName())
                .toList();
    }

    @Test
    void usageAddsUpTheBytesOfAllWorkers() throws Exception {
        DatasetVersion version = DatasetVersion.parse("team/usage@v1");
        String digest = manifest(version).digest().hex();
        Api gateway = new Api(agent.address());
        try (FakeWorker one = new FakeWorker("one", 0);
                FakeWorker other = new FakeWorker("other", 0);
                AutoCloseable first = region.join(one.node());
                AutoCloseable second = region.join(other.node())) {
            assertThat(first).isNotSameAs(second);
            region.mount(version, manifest(version));
            one.holds(
                    "{\"manifests\":[\"%s\"],\"bytes\":4},{\"manifests\":[],\"bytes\":3}"
                            .formatted(digest),
                    "\"%s\":60".formatted(digest));
            other.holds(
                    "{\"manifests\":[\"%s\"],\"bytes\":7}".formatted(digest),
                    "\"%s\":5".formatted(digest));
            Await.until(
                    "both workers answer",
                    () -> gateway.get("/v1/usage").body().path("capacity_bytes").asLong() == 198);

            Api.Answer usage = gateway.get("/v1/usage");
            assertThat(usage.body().get("used_bytes").asLong()).isEqualTo(14);
            assertThat(usage.body().get("orphan_bytes").asLong()).isEqualTo(3);
            assertThat(usage.body().get("unknown")).isEmpty();
            assertThat(usage.body().at("/space_bytes/team").asLong())
                    .isGreaterThanOrEqualTo(manifest.spaceBytes());
            assertThat(usage.body().get("shares")).hasSize(1);
            assertThat(usage.body().at("/shares/0/bytes").asLong()).isEqualTo(11);
            int owner = usage.body().at("/shares/0/owners/0").asInt();
            JsonNode mounted = usage.body().get("versions").get(owner);
            assertThat(mounted.at("/manifest/digest/hex").asText()).isEqualTo(digest);
            assertThat(mounted.get("seconds_since_read").asLong()).isEqualTo(5);
            assertThat(mounted.get("evicting").asBoolean(true)).isFalse();
        }
        Await.until(
                "no worker is live",
                () ->
                        gateway.get("/v1/usage")
                                .body()
                                .at("/unknown/0")
                                .asText()
                                .contains("no worker is live"));
    }

    /** "Admission": the place in the queue outlives the death of the agent. */
    @Test
    void aVersionThatDoesNotFitWaitsInTheQueueUntilAnotherIsEvicted() throws Exception {
        DatasetVersion first = DatasetVersion.parse("team/first@v1");
        DatasetVersion second = DatasetVersion.parse("team/second@v1");
        Api gateway = new Api(agent.address());
        long taken = survey(gateway, first).get("taken_bytes").asLong();
        try (FakeWorker worker = new FakeWorker("narrow", Integer.MAX_VALUE);
                AutoCloseable presence =
                        region.join(
                                new WorkerNode(
                                        worker.node().id(),
                                        worker.node().address(),
                                        taken + manifest.spaceBytes() * 3 / 2))) {
            assertThat(presence).isNotNull();
            assertThat(call(Step.ADMIT, first)).isEqualTo("/mnt/forebay/team/first/v1");
            assertThat(call(Step.ADMIT, first)).isEqualTo("/mnt/forebay/team/first/v1");

            WorkflowStub waiting = begin(Step.ADMIT, second, null);
            Await.until(
                    "the version is in the queue",
                    () -> survey(gateway, first).get("queue").size() == 1);
            JsonNode queued = survey(gateway, first).at("/queue/0");
            assertThat(queued.get("version").asText()).isEqualTo(second.toString());
            assertThat(queued.get("bytes").asLong()).isEqualTo(manifest.spaceBytes());
            assertThat(queued.get("reason").asText()).contains("first in the queue of test-1");
            assertThat(state(second)).isNull();
            Await.until(
                    "Temporal has the reason for the wait",
                    () ->
                            pending(waiting)
                                    .anyMatch(
                                            activity ->
                                                    activity.getLastFailure()
                                                            .getMessage()
                                                            .contains("first in the queue")));

            agent.kill9();
            region.beginEviction(first);
            region.unmount(first);
            agent.restart();

            assertThat(waiting.getResult(LIMIT_SECONDS, TimeUnit.SECONDS, String.class))
                    .isEqualTo("/mnt/forebay/team/second/v1");
            Await.until("the queue is empty", () -> region.view().queue().isEmpty());
            region.beginEviction(second);
            region.unmount(second);
        }
    }

    /** Workers know bytes by their manifest, so they would drop those of the other version. */
    @Test
    void droppingAnUnmountedVersionAsksNoWorkerEvenIfAnotherSharesItsManifest() throws Exception {
        DatasetVersion stays = DatasetVersion.parse("team/stays@v1");
        DatasetVersion gone = DatasetVersion.parse("team/stays@v2");
        try (FakeWorker worker = new FakeWorker("asked", Integer.MAX_VALUE);
                AutoCloseable presence = region.join(worker.node())) {
            assertThat(presence).isNotNull();
            region.mount(stays, manifest(stays));
            worker.refuseDrops();

            String _ = call(Step.DROP, gone);

            // The test's own view of etcd may be behind.
            Await.until("the other version is mounted", () -> state(stays) != null);
            region.beginEviction(stays);
            region.unmount(stays);
        }
    }

    @Test
    void theAgentReportsThatEtcdIsUnreachable() {
        Api gateway = new Api(agent.address());
        assertThat(gateway.get("/v1/region").body().get("etcd_reachable").asBoolean()).isTrue();

        etcd.kill9();
        try {
            Await.until(
                    "the agent reports that etcd is unreachable",
                    () -> !gateway.get("/v1/region").body().path("etcd_reachable").asBoolean(true));
        } finally {
            etcd.restart();
        }

        Await.until(
                "the agent reports that etcd is reachable",
                () -> gateway.get("/v1/region").body().path("etcd_reachable").asBoolean());
    }

    @Test
    void aFillContinuesFromItsLastHeartbeatAfterTheAgentIsKilled() throws Exception {
        DatasetVersion version = DatasetVersion.parse("team/killed@v1");
        try (FakeWorker worker = new FakeWorker("killed", CHUNKS / 2);
                AutoCloseable presence = region.join(worker.node())) {
            assertThat(presence).isNotNull();
            region.mount(version, manifest(version));
            WorkflowStub warming = begin(Step.WARM, version, null);
            List<WarmProgress> beats = new ArrayList<>();
            Await.until(
                    "a heartbeat that counts half the chunks",
                    () -> {
                        pending(warming)
                                .filter(PendingActivityInfo::hasHeartbeatDetails)
                                .map(AgentIT::progress)
                                .forEach(beats::add);
                        return beats.stream().anyMatch(beat -> beat.bytesFromLake() == CHUNKS * 5L);
                    });

            agent.kill9();
            assertThat(ApplicationProcess.temporary(directory.resolve("agent")))
                    .as("a killed agent leaves no temporary files")
                    .isEmptyDirectory();
            worker.permit(1000);
            agent.restart();

            String result = warming.getResult(String.class);
            assertThat(result).contains("bytesVerified=" + manifest.bytes());
            // Four chunks were in progress at the kill. They and the finished chunks above them are
            // filled again.
            long next = beats.getLast().next();
            assertThat(next).isPositive();
            assertThat(worker.filled().stream().filter(chunk -> chunk < next))
                    .doesNotHaveDuplicates();
            assertThat(worker.filled().size()).isLessThanOrEqualTo((int) (2L * CHUNKS - next));
            assertThat(Set.copyOf(worker.filled())).hasSize(CHUNKS);
        }
    }

    private static WarmProgress progress(PendingActivityInfo activity) {
        return DefaultDataConverter.STANDARD_INSTANCE.fromPayloads(
                0,
                Optional.of(activity.getHeartbeatDetails()),
                WarmProgress.class,
                WarmProgress.class);
    }

    @Test
    void theAgentServesOnlyHttp1() throws IOException {
        Http2Probe probe = Http2Probe.plain(agent.address());

        assertThat(probe.preface()).matches("HTTP/.\\.. [45]..");
        assertThat(probe.upgrade("/q/health/live")).isEqualTo("HTTP/1.1 200");
    }

    @Test
    void aCancelledFillStopsQuickly() throws Exception {
        DatasetVersion version = DatasetVersion.parse("team/cancelled@v1");
        try (FakeWorker worker = new FakeWorker("cancelled", 0);
                AutoCloseable presence = region.join(worker.node())) {
            assertThat(presence).isNotNull();
            region.mount(version, manifest(version));
            WorkflowStub warming = begin(Step.WARM, version, null);
            awaitHeartbeat(warming);

            Instant before = Instant.now();
            warming.cancel();

            assertThatThrownBy(() -> warming.getResult(String.class)).isNotNull();
            assertThat(Duration.between(before, Instant.now())).isLessThan(Duration.ofSeconds(60));
            worker.permit(1000);
        }
    }

    @Test
    void temporalRetriesADropSoonAfterItsAgentIsKilled() throws Exception {
        DatasetVersion version = DatasetVersion.parse("team/dropped@v1");
        try (FakeWorker worker = new FakeWorker("dropping", 0);
                AutoCloseable presence = region.join(worker.node())) {
            assertThat(presence).isNotNull();
            region.mount(version, manifest(version));
            call(Step.BEGIN_EVICTION, version);
            WorkflowStub dropping = begin(Step.DROP, version, null);
            awaitHeartbeat(dropping);

            agent.kill9();
            worker.permit(2);
            agent.restart();

            dropping.getResult(LIMIT_SECONDS, TimeUnit.SECONDS, String.class);
            Await.until("unmounted", () -> state(version) == null);
        }
    }

    @Test
    void pinsAndConfirmationsDoNotWaitForRunningFills() throws Exception {
        DatasetVersion version = DatasetVersion.parse("team/busy@v1");
        try (FakeWorker worker = new FakeWorker("busy", 0);
                AutoCloseable presence = region.join(worker.node())) {
            assertThat(presence).isNotNull();
            region.mount(version, manifest(version));
            List<WorkflowStub> warmings =
                    Stream.generate(() -> begin(Step.WARM, version, null)).limit(3).toList();
            Await.until(
                    "the allowed number of fills runs",
                    () ->
                            warmings.stream()
                                            .filter(
                                                    each ->
                                                            pending(each)
                                                                    .anyMatch(AgentIT::isBegun))
                                            .count()
                                    == 2);

            PinRequest pin = new PinRequest(REGION, "p1", "me", "why", Duration.ofSeconds(30));
            for (WorkflowStub call :
                    List.of(begin(Step.PIN, version, pin), begin(Step.CONFIRM, version, null))) {
                call.getResult(LIMIT_SECONDS, TimeUnit.SECONDS, String.class);
            }

            assertThat(warmings).allMatch(warming -> pending(warming).count() == 1);
            worker.permit(1000);
            warmings.forEach(warming -> warming.getResult(String.class));
            call(Step.UNPIN, version, pin);
        }
    }

    private static void awaitHeartbeat(WorkflowStub call) {
        Await.until(
                "a heartbeat",
                () -> pending(call).anyMatch(PendingActivityInfo::hasHeartbeatDetails));
    }

    private static boolean isBegun(PendingActivityInfo activity) {
        return activity.getState() == PendingActivityState.PENDING_ACTIVITY_STATE_STARTED;
    }

    private static Stream<PendingActivityInfo> pending(WorkflowStub call) {
        return call.describe().getRawDescription().getPendingActivitiesList().stream();
    }

    private static String call(Step step, DatasetVersion version) {
        return call(step, version, null);
    }

    private static String call(Step step, DatasetVersion version, @Nullable PinRequest pin) {
        return begin(step, version, pin).getResult(String.class);
    }

    private static WorkflowStub begin(Step step, DatasetVersion version, @Nullable PinRequest pin) {
        WorkflowStub stub =
                client.newUntypedWorkflowStub(
                        "RegionCall",
                        WorkflowOptions.newBuilder()
                                .setWorkflowId(step + "-" + UUID.randomUUID())
                                .setTaskQueue(QUEUE)
                                .build());
        stub.start(new Call(REGION.value(), step, version, manifest(version), pin));
        return stub;
    }

    private static Mount.@Nullable State state(DatasetVersion version) {
        return region.view().mounts().stream()
                .filter(mount -> mount.version().equals(version))
                .map(Mount::state)
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns a manifest for each dataset, all of one size. A manifest shared by two datasets would
     * need no space for the second.
     */
    private static ManifestRef manifest(DatasetVersion version) {
        return MANIFESTS.computeIfAbsent(version.dataset().name(), AgentIT::written);
    }

    /**
     * Writes the manifest of one object with this many chunks. The object itself does not exist.
     */
    private static ManifestRef written(String key) {
        Path target = directory.resolve(key + ".sqlite");
        ManifestFile file;
        try (ManifestWriter writer =
                new ManifestWriter(target, "lake", "", ManifestWriter.DEFAULT_PACK_BYTES, null)) {
            writer.add(
                    new LakeObject(
                            key, (long) CHUNKS * ChunkId.CHUNK_BYTES, Instant.EPOCH, "e", null));
            file = writer.finish();
        }
        Path stored = s3.bucketDirectory("forebay").resolve(file.key());
        try {
            Files.createDirectories(stored.getParent());
            Files.copy(target, stored);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file.ref("forebay");
    }
}
