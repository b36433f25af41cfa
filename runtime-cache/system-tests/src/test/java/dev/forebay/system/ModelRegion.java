package dev.forebay.system;

import dev.forebay.devstack.fault.FaultProxy;
import dev.forebay.devstack.program.JavaCommand;
import dev.forebay.devstack.program.Program;
import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.devstack.server.ServerProcess;
import dev.forebay.lake.Lake;
import dev.forebay.lake.s3.S3Credentials;
import dev.forebay.lake.s3.S3Lake;
import dev.forebay.lake.s3.S3LakeConfig;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.write.ManifestWriter;
import dev.forebay.membership.RegionState;
import dev.forebay.membership.etcd.EtcdConfig;
import dev.forebay.membership.etcd.EtcdRegionState;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A region with the versions of the model: etcd, two workers, and a lake behind a fault proxy. The
 * stores of the workers are smaller than the data. The class mounts and evicts versions like an
 * agent.
 */
final class ModelRegion implements AutoCloseable {

    static final String NAME = "model";
    static final int WORKERS = 2;
    private static final String MANIFESTS = "manifests";
    private static final String STORE_BYTES = "40M";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    final EtcdServer etcd;
    final FaultProxy proxy;
    final RegionState state;
    final Path directory;
    private final S3Server s3;
    private final LakeFixture lake;
    private final Lake listing;
    private final List<ServerProcess> workers = new ArrayList<>();
    private final WorkerClient client = new WorkerClient(WorkerClientConfig.defaults());
    private final List<ManifestRef> manifests = new ArrayList<>();
    private int names;
    private int directories;

    ModelRegion(Path directory) throws Exception {
        this.directory = directory;
        etcd = EtcdServer.start(directory.resolve("etcd"));
        s3 = S3Server.start(directory.resolve("s3"));
        s3.createBucket(LakeFixture.BUCKET).createBucket(MANIFESTS);
        proxy = FaultProxy.before(s3.endpoint());
        state =
                EtcdRegionState.connect(
                        EtcdConfig.of(List.of(etcd.endpoint())), new RegionName(NAME));
        lake = new LakeFixture(s3.endpoint(), s3.accessKey(), s3.secretKey(), s3.accessLog());
        listing =
                S3Lake.open(
                        S3LakeConfig.of(s3.endpoint(), S3Server.REGION, true),
                        new S3Credentials(s3.accessKey(), s3.secretKey()));
        fillLake();
        for (int i = 0; i < WORKERS; i++) {
            workers.add(startWorker(i));
        }
        Await.until(
                "both workers are known", TIMEOUT, () -> state.view().workers().size() == WORKERS);
        for (ModelVersion version : ModelVersion.all()) {
            mount(version);
        }
    }

    /** Creates a directory for a mount. Its name starts as given. */
    synchronized Path newDirectory(String name) throws IOException {
        return Files.createDirectory(directory.resolve(name + "-" + ++directories));
    }

    /** Returns the key of the object behind a file. */
    static String key(ModelVersion version, String file) {
        return "v" + version.index() + "/" + file;
    }

    /** Returns the path of a version's manifest below a directory. */
    static Path manifest(Path manifests, ModelVersion version) {
        return manifests.resolve("manifest-" + version.index() + ".sqlite");
    }

    static Digest digest(Path manifest) {
        return ManifestFile.digestOf(manifest);
    }

    private void fillLake() throws Exception {
        for (ModelVersion version : ModelVersion.all()) {
            Map<String, byte[]> objects = new HashMap<>();
            version.files()
                    .forEach((file, size) -> objects.put(file, version.content(file).bytes(size)));
            manifests.add(freeze(key(version, ""), objects, manifest(directory, version)));
        }
        ModelVersion first = ModelVersion.all().getFirst();
        int size = first.size(ModelVersion.CHANGED);
        lake.put(key(first, ModelVersion.CHANGED), LakeFixture.bytes(1, size));
    }

    /** Puts objects into the lake and writes a manifest of them. */
    ManifestRef freeze(String prefix, Map<String, byte[]> objects, Path manifest) throws Exception {
        lake.putAll(prefix, objects);
        ManifestFile written;
        try (ManifestWriter writer =
                new ManifestWriter(
                        manifest,
                        LakeFixture.BUCKET,
                        prefix,
                        ManifestWriter.DEFAULT_PACK_BYTES,
                        null)) {
            listing.list(LakeFixture.BUCKET, prefix, writer::add, count -> {});
            written = writer.finish();
        }
        listing.putIfAbsent(MANIFESTS, written.key(), written.path());
        return written.ref(MANIFESTS);
    }

    private ServerProcess startWorker(int number) throws IOException {
        String name = "worker-" + number;
        Path store = Files.createDirectories(store(number));
        Files.writeString(store.resolve("worker-id"), name + "\n");
        URI address = URI.create("http://127.0.0.1:" + Ports.free());
        List<String> command =
                JavaCommand.of(
                                Program.WORKER,
                                Path.of("../worker/target/quarkus-app/quarkus-run.jar"))
                        .withoutSecondCompiler()
                        .options("-Xmx256m")
                        .options("-Dquarkus.http.port=" + address.getPort())
                        .options("-Dforebay.region=" + NAME)
                        .options("-Dforebay.etcd.endpoints=" + etcd.endpoint())
                        .options("-Dforebay.lake.endpoint=" + proxy.endpoint())
                        .options("-Dforebay.lake.path-style=true")
                        .options("-Dforebay.worker.directory=" + store)
                        .options("-Dforebay.worker.capacity=" + STORE_BYTES)
                        .build();
        return ServerProcess.start(
                Launch.of(
                        name,
                        directory,
                        command,
                        Map.of(
                                "AWS_ACCESS_KEY_ID", s3.accessKey(),
                                "AWS_SECRET_ACCESS_KEY", s3.secretKey()),
                        Readiness.ok(address.resolve("/q/health/ready")),
                        Launch.Lifetime.THIS_JVM));
    }

    ServerProcess worker(int number) {
        return workers.get(number);
    }

    /** Returns the directory where a worker keeps its chunks. */
    Path store(int number) {
        return directory.resolve("store-" + number).toAbsolutePath();
    }

    List<WorkerNode> nodes() {
        return state.view().workers();
    }

    /** Mounts a version of the model. */
    void mount(ModelVersion version) {
        mount(version.name(), manifests.get(version.index()));
    }

    /** Mounts a version and waits until the workers serve it. */
    void mount(DatasetVersion version, ManifestRef manifest) {
        state.mount(version, manifest);
        state.markCached(version);
        for (WorkerNode worker : nodes()) {
            Await.until(
                    worker.id() + " knows " + version,
                    TIMEOUT,
                    () -> client.coverage(worker, manifest.digest()) != null);
        }
    }

    /**
     * Runs an action while the first version also has a new name. A process that sees the new name
     * has seen all earlier mounts and unmounts.
     */
    void underAnotherName(Consumer<DatasetVersion> work) {
        DatasetVersion name = DatasetVersion.of("model", "data", "name-" + names++);
        state.mount(name, manifests.getFirst());
        work.accept(name);
        state.beginEviction(name);
        state.unmount(name);
    }

    /** Evicts a version like an agent. */
    void evict(ModelVersion version) {
        evict(version.name(), manifests.get(version.index()).digest());
    }

    /** Evicts a version like {@link #evict(ModelVersion)}. */
    void evict(DatasetVersion version, Digest manifest) {
        state.beginEviction(version);
        for (WorkerNode worker : nodes()) {
            Await.until(
                    worker.id() + " drops " + version, TIMEOUT, () -> dropped(worker, manifest));
        }
        state.unmount(version);
    }

    /**
     * Returns whether the worker has dropped the chunks. Throws while the worker has not seen the
     * eviction begin, which counts as "not yet".
     */
    private boolean dropped(WorkerNode worker, Digest manifest) {
        try {
            return client.drop(worker, manifest).chunksDropped() >= 0;
        } catch (ForebayException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                return true;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        workers.forEach(ServerProcess::close);
        client.close();
        state.close();
        listing.close();
        lake.close();
        proxy.close();
        s3.close();
        etcd.close();
    }
}
