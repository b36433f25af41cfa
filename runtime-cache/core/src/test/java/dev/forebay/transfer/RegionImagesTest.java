package dev.forebay.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpExchange;
import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegionImagesTest {

    private static final DatasetVersion VERSION = DatasetVersion.of("team", "set", "v1");
    private static final Digest MANIFEST = new Digest("b".repeat(64));
    private static final String REQUEST =
            "GET /v1/manifests/%s/image?version=team%%2Fset%%40v1".formatted(MANIFEST);
    private static final byte[] IMAGE = "an image".getBytes(StandardCharsets.UTF_8);

    @TempDir Path directory;
    private final WorkerClient client = new WorkerClient(WorkerClientConfig.defaults());
    private FakeWorker owner;
    private FakeWorker second;
    private volatile WorkerSet workers;
    private RegionImages images;
    private Digest digest;
    private Path file;

    @BeforeEach
    void start() throws Exception {
        FakeWorker one = new FakeWorker("w1", new byte[0]);
        FakeWorker two = new FakeWorker("w2", new byte[0]);
        List<WorkerNode> nodes = List.of(one.node(), two.node());
        WorkerNode first = Placement.rank(new ChunkId(new PackId(MANIFEST), 0), nodes).getFirst();
        owner = first.equals(one.node()) ? one : two;
        second = owner == one ? two : one;
        workers = new WorkerSet(nodes, Set.of("w1", "w2"));
        images = new RegionImages(client, () -> workers);
        digest =
                new Digest(
                        HexFormat.of()
                                .formatHex(MessageDigest.getInstance("SHA-256").digest(IMAGE)));
        file = directory.resolve("image");
        owner.behave(exchange -> send(exchange, digest));
        second.behave(exchange -> send(exchange, digest));
    }

    @AfterEach
    void stop() {
        client.close();
        owner.close();
        second.close();
    }

    private static void send(HttpExchange exchange, Digest digest) throws IOException {
        exchange.getResponseHeaders().add(ReprDigest.HEADER, ReprDigest.of(digest));
        FakeWorker.send(exchange, 200, IMAGE);
    }

    @Test
    void comesFromItsOwner() {
        assertThat(images.fetch(VERSION, MANIFEST, file)).isEqualTo(digest);

        assertThat(file).hasBinaryContent(IMAGE);
        assertThat(owner.requests()).containsExactly(REQUEST);
        assertThat(second.requests()).isEmpty();
    }

    @Test
    void comesFromTheNextWorkerIfTheOwnerIsAwayOrRefuses() {
        owner.refuse(503, "UNAVAILABLE");
        assertThat(images.fetch(VERSION, MANIFEST, file)).isEqualTo(digest);
        assertThat(owner.requests()).hasSize(1);

        workers = new WorkerSet(workers.registered(), Set.of(second.node().id()));
        assertThat(images.fetch(VERSION, MANIFEST, file)).isEqualTo(digest);
        assertThat(owner.requests()).hasSize(1);
    }

    @Test
    void damagedBytesAndThoseWithoutADigestAreNotKept() {
        owner.behave(exchange -> send(exchange, MANIFEST));
        second.behave(exchange -> FakeWorker.send(exchange, 200, IMAGE));
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> images.fetch(VERSION, MANIFEST, file))
                .matches(e -> e.code() == ErrorCode.UNAVAILABLE)
                .withMessageContaining("without a digest");
        assertThat(directory).isEmptyDirectory();

        workers = new WorkerSet(workers.registered(), Set.of(owner.node().id()));
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> images.fetch(VERSION, MANIFEST, file))
                .matches(e -> e.code() == ErrorCode.CORRUPT);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aRegionWithoutWorkersHasNone() {
        workers = new WorkerSet(List.of(), Set.of());
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> images.fetch(VERSION, MANIFEST, file))
                .matches(e -> e.code() == ErrorCode.UNAVAILABLE);
    }
}
