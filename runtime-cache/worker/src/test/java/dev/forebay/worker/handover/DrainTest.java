package dev.forebay.worker.handover;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.manifest.write.ManifestWriter;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.membership.WorkerRegistration;
import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import dev.forebay.worker.handover.Drain.State;
import dev.forebay.worker.retention.MountedVersions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Drains a worker that holds all chunks of all mounted versions. No version is mounted unless a
 * test mounts one.
 */
@SuppressWarnings("NullAway.Init") // made before each
class DrainTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final String SELF = "self";
    private static final String OTHER = "other";

    @TempDir private Path directory;
    private final FailingMembership membership = new FailingMembership();
    private final WorkerClient client = new WorkerClient(WorkerClientConfig.defaults());
    private MountedVersions versions;
    private Drain drain;

    @BeforeEach
    void besideAnotherWorker() {
        versions =
                new MountedVersions(
                        new ManifestCache(
                                directory.resolve("manifests"),
                                1 << 20,
                                (_, target) -> copy(written(), target)),
                        1,
                        () -> {});
        seen("http://127.0.0.1:2", List.of());
        drain = new Drain(SELF, membership, versions, (_, _) -> true, client, TIMEOUT, 1L << 30);
    }

    /** The worker has already given up the ownership of its chunks. */
    private void seen(String addressOfOther, List<Mount> mounts) {
        seen(addressOfOther, mounts, Set.of());
    }

    private void seen(String addressOfOther, List<Mount> mounts, Set<String> notUnderstood) {
        WorkerNode self = new WorkerNode(SELF, URI.create("http://127.0.0.1:1"), 10);
        WorkerNode other = new WorkerNode(OTHER, URI.create(addressOfOther), 10);
        versions.update(
                new RegionView(
                        List.of(self.drained(), other),
                        Set.of(SELF, OTHER),
                        mounts,
                        List.of(),
                        List.of(),
                        List.of(),
                        notUnderstood));
    }

    private Path written() {
        return directory.resolve("written.sqlite");
    }

    /** Writes the manifest of a version with this many chunks. */
    private Mount version(int chunks) {
        try (ManifestWriter writer =
                new ManifestWriter(
                        written(), "bucket", "", ManifestWriter.DEFAULT_PACK_BYTES, null)) {
            writer.add(
                    new LakeObject(
                            "object",
                            (long) chunks * ChunkId.CHUNK_BYTES,
                            Instant.EPOCH,
                            "etag",
                            null));
            ManifestFile file = writer.finish();
            assertThat(file.chunks()).isEqualTo(chunks);
            return new Mount(
                    DatasetVersion.of("ns", "data", "v1"),
                    file.ref("manifests"),
                    Mount.State.CACHED);
        }
    }

    private static void copy(Path from, Path target) {
        try {
            Files.copy(from, target);
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.LAKE_UNAVAILABLE, "it is away", e);
        }
    }

    @AfterEach
    void close() {
        drain.close();
        versions.close();
        client.close();
    }

    /** No other worker was asked to take the chunks that such a row claims. */
    @Test
    void aDrainDoesNotEndWhileTheWorkerDoesNotUnderstandARow() throws Exception {
        seen("http://127.0.0.1:2", List.of(), Set.of("mounts/ns/data/v1"));
        assertThat(started()).isEqualTo(State.DRAINING);
        seen("http://127.0.0.1:2", List.of());
        assertThat(started()).isEqualTo(State.DRAINED);
    }

    private State started() throws InterruptedException {
        assertThat(drain.start().state()).isNotEqualTo(State.SERVING);
        drain.await(TIMEOUT);
        return drain.progress().state();
    }

    @Test
    void aFailedDrainCanBeStartedAgain() throws Exception {
        membership.removal =
                () -> {
                    throw new ForebayException(ErrorCode.UNAVAILABLE, "etcd is away");
                };
        assertThat(started()).isEqualTo(State.DRAINING);
        membership.removal =
                () -> {
                    throw new OutOfMemoryError("simulated");
                };
        assertThat(started()).isEqualTo(State.DRAINING);

        membership.removal = () -> {};
        assertThat(started()).isEqualTo(State.DRAINED);
        assertThat(started()).as("a second start changes nothing").isEqualTo(State.DRAINED);
        assertThat(membership.drains).isEqualTo(3);
    }

    /** Happens when the region's table has an address that the client cannot use. */
    @Test
    void aDrainCountsChunksThatFailUnexpectedlyAsLeft() throws Exception {
        seen("ftp://127.0.0.1:2", List.of(version(5)));

        assertThat(started()).isEqualTo(State.DRAINED);
        assertThat(drain.progress()).isEqualTo(new Drain.Progress(State.DRAINED, 0, 0, 5));
    }

    /** Happens when the lake is down and the manifest is not on this disk. */
    @Test
    void aDrainCountsChunksOfAnUnavailableManifestAsLeft() throws Exception {
        seen("http://127.0.0.1:2", List.of(version(5)));
        Files.delete(written());

        assertThat(started()).isEqualTo(State.DRAINED);
        assertThat(drain.progress()).isEqualTo(new Drain.Progress(State.DRAINED, 0, 0, 5));
    }

    /** One more chunk than a page of the manifest has. */
    @Test
    void aDrainHandsOverEveryChunk() throws Exception {
        int chunks = 1_001;
        Set<String> filled = ConcurrentHashMap.newKeySet();
        HttpServer other =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        other.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        other.createContext(
                "/",
                exchange -> {
                    filled.add(exchange.getRequestMethod() + exchange.getRequestURI().getPath());
                    byte[] answer =
                            "{\"liveBytes\":1,\"bytesFromLake\":0,\"bytesFromPeers\":1}"
                                    .getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(200, answer.length);
                    exchange.getResponseBody().write(answer);
                    exchange.close();
                });
        other.start();
        try (Drain fast =
                new Drain(
                        SELF,
                        membership,
                        versions,
                        (_, _) -> true,
                        client,
                        TIMEOUT,
                        Long.MAX_VALUE)) {
            drain = fast;
            seen("http://127.0.0.1:" + other.getAddress().getPort(), List.of(version(chunks)));

            assertThat(started()).isEqualTo(State.DRAINED);
        } finally {
            other.stop(0);
        }
        assertThat(drain.progress())
                .isEqualTo(
                        new Drain.Progress(
                                State.DRAINED, chunks, (long) chunks * ChunkId.CHUNK_BYTES, 0));
        assertThat(filled).hasSize(chunks).allMatch(request -> request.startsWith("PUT/v1/packs/"));
    }

    private static final class FailingMembership implements WorkerRegistration {
        private volatile Runnable removal = () -> {};
        private int drains;

        @Override
        public long epoch() {
            return 1;
        }

        @Override
        public boolean valid() {
            return true;
        }

        @Override
        public boolean superseded() {
            return false;
        }

        @Override
        public void drain() {
            drains++;
        }

        @Override
        public void remove() {
            removal.run();
        }

        @Override
        public void close() {}
    }
}
