package dev.forebay.benchmarks.stack;

import dev.forebay.benchmarks.measure.Parallel;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.devstack.stack.Region;
import dev.forebay.lake.s3.S3Credentials;
import dev.forebay.lake.s3.S3Lake;
import dev.forebay.lake.s3.S3LakeConfig;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.manifest.write.ManifestWriter;
import dev.forebay.membership.Mount;
import dev.forebay.membership.etcd.EtcdConfig;
import dev.forebay.membership.etcd.EtcdRegionState;
import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Writes the region's mount table without the control plane. This way a version can be mounted
 * while the region has no byte of it.
 */
public final class MountTable implements AutoCloseable {
    private static final int FILLS = 4;
    private static final Duration SEEN_WITHIN = Duration.ofSeconds(10);

    private final Path directory;
    private final S3Lake lake;
    private final EtcdRegionState state;
    private final WorkerClient client = new WorkerClient(WorkerClientConfig.defaults());
    private final Map<Dataset, ManifestFile> manifests = new HashMap<>();

    /**
     * @param directory for manifests
     */
    public MountTable(Region region, S3Server server, Path directory) {
        this(region.name(), region.etcd().endpoint(), server, directory);
    }

    /** Opens the table of a region that is not part of a stack. */
    public MountTable(String region, URI etcd, S3Server server, Path directory) {
        this.directory = directory;
        this.lake =
                S3Lake.open(
                        S3LakeConfig.of(server.endpoint(), S3Server.REGION, true),
                        new S3Credentials(server.accessKey(), server.secretKey()));
        this.state = EtcdRegionState.connect(EtcdConfig.of(List.of(etcd)), new RegionName(region));
    }

    /** Mounts a dataset's version, of which the region has no byte. */
    public void mount(Dataset dataset) {
        String prefix = dataset.name() + "/";
        ManifestFile manifest =
                freeze(
                        dataset.name(),
                        prefix,
                        writer -> lake.list(Lake.BUCKET, prefix, writer::add, count -> {}));
        manifests.put(dataset, manifest);
        mount(dataset.version(), manifest);
    }

    /** Writes a manifest and uploads it to the lake. Its objects need not exist. */
    public ManifestFile freeze(String name, String prefix, Consumer<ManifestWriter> objects) {
        try (ManifestWriter writer =
                new ManifestWriter(
                        directory.resolve(name + ".sqlite"),
                        Lake.BUCKET,
                        prefix,
                        ManifestWriter.DEFAULT_PACK_BYTES,
                        null)) {
            objects.accept(writer);
            ManifestFile manifest = writer.finish();
            lake.putIfAbsent(Lake.MANIFESTS, manifest.key(), manifest.path());
            return manifest;
        }
    }

    /** Mounts a version. */
    public void mount(DatasetVersion version, ManifestFile manifest) {
        state.mount(version, manifest.ref(Lake.MANIFESTS));
    }

    /** Makes the region's workers fill a whole version. */
    public void fill(Dataset dataset) throws Exception {
        ManifestFile manifest = manifest(dataset);
        List<ChunkRef> chunks;
        try (SqliteManifest opened = SqliteManifest.open(manifest.path())) {
            chunks = opened.chunks(0, Math.toIntExact(opened.chunkCount()));
        }
        Parallel.forEach(FILLS, chunks, chunk -> fill(manifest, chunk.chunk()));
    }

    private void fill(ManifestFile manifest, ChunkId chunk) {
        long deadline = System.nanoTime() + SEEN_WITHIN.toNanos();
        while (true) {
            WorkerNode owner = Placement.rank(chunk, state.view().workers()).getFirst();
            try {
                client.fill(owner, manifest.digest(), chunk);
                return;
            } catch (ForebayException e) {
                // The worker has not seen the mount yet.
                if (e.code() != ErrorCode.NOT_FOUND || System.nanoTime() > deadline) {
                    throw e;
                }
                Thread.onSpinWait();
            }
        }
    }

    /** Marks the version as cached, which allows pods to prewarm it. */
    public void markCached(Dataset dataset) {
        state.markCached(dataset.version());
    }

    /**
     * Returns the time, by {@link System#nanoTime}, when etcd reports that the version is cached.
     */
    public CompletableFuture<Long> cached(Dataset dataset) {
        CompletableFuture<Long> when = new CompletableFuture<>();
        state.onChange(
                view -> {
                    if (view.mounts().stream().anyMatch(mount -> isCached(mount, dataset))) {
                        when.complete(System.nanoTime());
                    }
                });
        return when;
    }

    private static boolean isCached(Mount mount, Dataset dataset) {
        return mount.version().equals(dataset.version()) && mount.state() == Mount.State.CACHED;
    }

    /** Returns the names of the packs of a dataset's version. */
    public Set<String> packs(Dataset dataset) {
        try (SqliteManifest opened = SqliteManifest.open(manifest(dataset).path())) {
            return opened.packs().stream()
                    .map(pack -> pack.id().toString())
                    .collect(Collectors.toSet());
        }
    }

    public ManifestFile manifest(Dataset dataset) {
        ManifestFile manifest = manifests.get(dataset);
        if (manifest == null) {
            throw new IllegalStateException(dataset.name() + " is not mounted");
        }
        return manifest;
    }

    @Override
    public void close() {
        client.close();
        state.close();
        lake.close();
    }
}
