package dev.forebay.control;

import dev.forebay.devstack.fault.FaultProxy;
import dev.forebay.devstack.fault.NameServer;
import dev.forebay.devstack.server.PostgresServer;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.devstack.server.TemporalServer;
import dev.forebay.testing.Api;
import dev.forebay.testing.ApplicationProcess;
import dev.forebay.workflows.WorkflowIds;
import io.temporal.client.schedules.Schedule;
import io.temporal.client.schedules.ScheduleClient;
import io.temporal.client.schedules.ScheduleIntervalSpec;
import io.temporal.client.schedules.ScheduleSpec;
import io.temporal.client.schedules.ScheduleUpdate;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;

/**
 * The packaged control plane on a real PostgreSQL, Temporal and S3, with one region in memory. All
 * tests of this JVM share it, and it ends with the JVM.
 */
final class TestControlPlane {

    static final String REGION = FakeRegion.NAME.value();

    /** A region without an agent. */
    static final String AWAY = "test-2";

    /** The maximum number of progress streams. */
    static final int STREAMS = 3;

    /** The maximum number of objects that a plan lists. */
    static final int LISTED = 5;

    /** The interval of sweeps, unless a test changes it. */
    static final Duration SELDOM = Duration.ofHours(1);

    private static final AtomicInteger DATASETS = new AtomicInteger();

    private final Path directory = temporaryDirectory();

    final S3Server s3;

    /** A proxy between the control plane and the lake. */
    final FaultProxy lake;

    final TemporalServer temporal;
    final PostgresServer postgres;
    final FakeGateway gateway = new FakeGateway();
    final FakeRegion region;
    final ApplicationProcess process;
    final Api api;

    private static final class Holder {
        static final TestControlPlane SHARED = new TestControlPlane();
    }

    static TestControlPlane shared() {
        return Holder.SHARED;
    }

    private TestControlPlane() {
        s3 = S3Server.start(directory.resolve("s3")).createBucket("lake").createBucket("forebay");
        lake = FaultProxy.before(s3.endpoint());
        temporal = TemporalServer.start(directory.resolve("temporal"));
        postgres = PostgresServer.start(directory.resolve("postgres"));
        process =
                ApplicationProcess.start(
                        "control-plane", directory.resolve("control"), properties(), secrets());
        region = new FakeRegion(temporal.target());
        // A path has a slash where the region's pin has an @.
        gateway.setHeld(
                path -> region.pins().stream().anyMatch(pin -> pin.replace('@', '/').equals(path)));
        api = new Api(process.address().resolve("/api/v1"));
    }

    /**
     * Starts another replica.
     *
     * @param more settings in addition to the common ones
     * @param environment variables in addition to the common ones
     */
    ApplicationProcess replica(
            String name, Map<String, String> more, Map<String, String> environment) {
        Map<String, String> settings = properties();
        settings.putAll(more);
        Map<String, String> variables = new HashMap<>(secrets());
        variables.putAll(environment);
        return ApplicationProcess.start(name, directory.resolve(name), settings, variables);
    }

    /** As {@link #replica}, with a name server of its own. */
    ApplicationProcess replica(String name, Map<String, String> more, NameServer names) {
        Map<String, String> settings = properties();
        settings.putAll(more);
        return ApplicationProcess.start(name, directory.resolve(name), settings, secrets(), names);
    }

    /** As {@link #replica}, with TLS by these settings. */
    ApplicationProcess encryptedReplica(
            String name, Map<String, String> more, SSLContext trusting) {
        Map<String, String> settings = properties();
        settings.putAll(more);
        return ApplicationProcess.startEncrypted(
                name, directory.resolve(name), settings, secrets(), trusting);
    }

    /**
     * Starts another replica whose clock is ahead. It does not read the accounts of workers, so
     * that only one replica does.
     */
    ApplicationProcess replicaAhead(String name, Duration by) {
        Map<String, String> settings = properties();
        settings.put("forebay.ledger.interval", "1H");
        return ApplicationProcess.start(name, directory.resolve(name), settings, secrets(), by);
    }

    private Map<String, String> properties() {
        Map<String, String> properties = new HashMap<>();
        properties.put("forebay.role", "control-plane");
        properties.put("forebay.manifest-bucket", "forebay");
        properties.put("forebay.lake.endpoint", lake.endpoint().toString());
        properties.put("forebay.temporal.target", temporal.target());
        properties.put("forebay.temporal.ui", temporal.ui().toString());
        // Frequent sweeps would run while tests wait for something else: see sweepEvery.
        properties.put("forebay.sweep.interval", SELDOM.toSeconds() + "S");
        properties.put("forebay.ledger.interval", "1S");
        properties.put("forebay.figures.interval", "1S");
        properties.put("forebay.fsck.settle", "0.5S");
        properties.put("forebay.ledger.budgets.spender", "0.5");
        properties.put("forebay.prices.currency", "EUR");
        properties.put("forebay.prices.lake-gb", "0.1");
        properties.put("forebay.prices.lake-requests", "0.4");
        properties.put("forebay.prices.nvme-gb-hour", "0.01");
        // On a slow machine a short timeout would accept a source that the test expects to be
        // refused.
        properties.put("forebay.requests.lake-timeout", "30S");
        properties.put("forebay.progress.streams", String.valueOf(STREAMS));
        properties.put("forebay.progress.interval", "0.2S");
        properties.put("forebay.regions." + REGION + ".agent", gateway.address().toString());
        properties.put("forebay.regions." + REGION + ".gpus", "64");
        properties.put("forebay.plan.objects", String.valueOf(LISTED));
        properties.put("forebay.prices.on-premises-gb", "0.01");
        properties.put("forebay.regions." + AWAY + ".on-premises", "true");
        properties.put("forebay.regions." + AWAY + ".agent", "http://127.0.0.1:9");
        properties.put("quarkus.datasource.jdbc.url", postgres.jdbcUrl());
        properties.put("quarkus.datasource.username", postgres.user());
        return properties;
    }

    private Map<String, String> secrets() {
        return Map.of(
                "AWS_ACCESS_KEY_ID", s3.accessKey(),
                "AWS_SECRET_ACCESS_KEY", s3.secretKey(),
                "QUARKUS_DATASOURCE_PASSWORD", postgres.password());
    }

    /** Returns the work directory of the first replica. */
    Path workDirectory() {
        return directory.resolve("control").resolve("work");
    }

    /** Returns a client of Temporal. The caller must shut it down. */
    WorkflowServiceStubs temporalStubs() {
        return WorkflowServiceStubs.newServiceStubs(
                WorkflowServiceStubsOptions.newBuilder().setTarget(temporal.target()).build());
    }

    /** Changes the interval of the region's sweeps. A start of the control plane resets it. */
    void sweepEvery(Duration interval) {
        ScheduleSpec spec =
                ScheduleSpec.newBuilder()
                        .setIntervals(List.of(new ScheduleIntervalSpec(interval)))
                        .build();
        WorkflowServiceStubs stubs = temporalStubs();
        try {
            ScheduleClient.newInstance(stubs)
                    .getHandle(WorkflowIds.sweep(FakeRegion.NAME))
                    .update(
                            input ->
                                    new ScheduleUpdate(
                                            Schedule.newBuilder(
                                                            input.getDescription().getSchedule())
                                                    .setSpec(spec)
                                                    .build()));
        } finally {
            stubs.shutdownNow();
        }
    }

    Connection database() throws SQLException {
        return DriverManager.getConnection(
                postgres.jdbcUrl(), postgres.user(), postgres.password());
    }

    /** Registers a new dataset with two files and returns its name. */
    String dataset(long ttlSeconds) {
        return dataset(ttlSeconds, "pin");
    }

    /** As {@link #dataset(long)}, with the moment from which the time to live counts. */
    String dataset(long ttlSeconds, String ttlAfter) {
        String name = newName();
        put(name + "/a.txt", "first");
        put(name + "/b/c.txt", "second");
        api.post(
                "/datasets",
                """
                {"namespace":"team","name":"%s","source":"s3://lake/%s/","ttl_seconds":%d,"ttl_after":"%s"}"""
                        .formatted(name, name, ttlSeconds, ttlAfter));
        return name;
    }

    /** Returns a name that no dataset has, also for a retried test. */
    String newName() {
        return "d" + DATASETS.incrementAndGet();
    }

    /** Writes an object to the lake. */
    void put(String key, String content) {
        try {
            Path file = s3.bucketDirectory("lake").resolve(key);
            Files.createDirectories(file.getParent());
            Files.writeString(file, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the folder of the manifest bucket, with the manifests and their pointers. */
    Path manifestBucket() {
        return s3.bucketDirectory("forebay");
    }

    static String version(String dataset, String version) {
        return "/datasets/team/%s/versions/%s".formatted(dataset, version);
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> tree = Files.walk(folder)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    /** Removes a folder, unless another process that starts now is removing it. */
    private static void removeAlone(Path folder, Path own) throws IOException {
        try {
            remove(Files.move(folder, own.resolve("earlier"), StandardCopyOption.ATOMIC_MOVE));
        } catch (NoSuchFileException another) {
            // Another process removes it.
        }
    }

    /**
     * Returns the folder of this process below Maven's target. Removes the folders of processes
     * that have ended.
     */
    private static Path temporaryDirectory() {
        Path all = Path.of("target", "control-planes").toAbsolutePath();
        Path own = all.resolve(Long.toString(ProcessHandle.current().pid()));
        try {
            Files.createDirectories(own);
            try (DirectoryStream<Path> earlier = Files.newDirectoryStream(all)) {
                for (Path each : earlier) {
                    long process = Long.parseLong(each.getFileName().toString());
                    if (ProcessHandle.of(process).isEmpty()) {
                        removeAlone(each, own);
                    }
                }
            }
            return own;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
