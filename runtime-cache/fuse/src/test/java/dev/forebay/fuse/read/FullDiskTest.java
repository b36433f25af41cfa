package dev.forebay.fuse.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.forebay.devstack.fault.LoopDisk;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.RegionFiles;
import dev.forebay.transfer.RegionFilesConfig;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import dev.forebay.transfer.WorkerSet;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Manifests and images for which the node has no space. Needs permission to mount. */
class FullDiskTest {

    private static final int MIB = 1 << 20;
    private static final Digest MANIFEST = new Digest("b".repeat(64));

    @TempDir private Path directory;
    private final AtomicInteger asked = new AtomicInteger();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final WorkerClient client = new WorkerClient(WorkerClientConfig.defaults());
    private LoopDisk disk;
    private HttpServer server;
    private RegionFiles files;

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/v1/manifests/", this::sendMore);
        server.start();
        URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        List<WorkerNode> two =
                List.of(new WorkerNode("w1", address, MIB), new WorkerNode("w2", address, MIB));
        files =
                new RegionFiles(
                        client,
                        () -> new WorkerSet(two, Set.of("w1", "w2")),
                        RegionFilesConfig.defaults());
        var mounted = LoopDisk.mountIfAllowed(directory, "disk", 4L * MIB);
        assumeTrue(mounted.isPresent(), "cannot mount an ext4 here");
        disk = mounted.get();
    }

    @AfterEach
    void stop() {
        client.close();
        server.stop(0);
        threads.shutdownNow();
        if (disk != null) {
            disk.close();
        }
    }

    /** Sends more bytes than fit. */
    private void sendMore(HttpExchange exchange) throws IOException {
        asked.incrementAndGet();
        try (exchange) {
            exchange.sendResponseHeaders(200, 16 * MIB);
            exchange.getResponseBody().write(new byte[16 * MIB]);
        }
    }

    private void saysThatTheDiskIsFull(Throwable failure) {
        assertThat(failure)
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CAPACITY_EXCEEDED))
                .hasMessageContaining(disk.path().toString())
                .hasMessageContaining("disk of this node is full")
                .hasMessageNotContaining("worker");
        assertThat(asked).hasValue(1);
    }

    @Test
    void aManifestThatDoesNotFitIsReportedAsAFullDisk() {
        ManifestCache cache =
                new ManifestCache(
                        disk.path().resolve("manifests"),
                        1L << 30,
                        (ref, target) -> files.manifest(ref.digest(), target));
        ManifestRef ref = new ManifestRef("s3://b/m", MANIFEST, 1, 1, 1);
        assertThatThrownBy(() -> cache.open(ref, Duration.ofSeconds(30)))
                .satisfies(this::saysThatTheDiskIsFull);
        assertThat(disk.path().resolve("manifests")).isEmptyDirectory();
    }

    @Test
    void anImageThatDoesNotFitIsReportedAsAFullDisk() {
        DatasetVersion version = DatasetVersion.of("a", "b", "c");
        assertThatThrownBy(() -> files.image(version, MANIFEST, disk.path().resolve("image")))
                .satisfies(this::saysThatTheDiskIsFull);
        assertThat(disk.path()).isEmptyDirectory();
    }
}
