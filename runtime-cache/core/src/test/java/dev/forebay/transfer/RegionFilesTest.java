package dev.forebay.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegionFilesTest {

    private static final DatasetVersion VERSION = DatasetVersion.of("team", "set", "v1");
    private static final Digest MANIFEST = new Digest("b".repeat(64));
    private static final String REQUEST =
            "GET /v1/manifests/%s/image?version=team%%2Fset%%40v1".formatted(MANIFEST);
    private static final byte[] LARGE = new byte[8 << 20];
    private static final byte[] IMAGE = "an image".getBytes(StandardCharsets.UTF_8);

    /** These are long enough for a healthy worker on a busy machine. */
    private static final Duration ATTEMPT = Duration.ofSeconds(4);

    private static final Duration SILENCE = Duration.ofSeconds(3);
    private static final Duration TOTAL = Duration.ofSeconds(10);
    private static final Duration IMAGE_FIRST_BYTE = Duration.ofSeconds(20);

    @TempDir Path directory;
    private final WorkerClient client = new WorkerClient(WorkerClientConfig.defaults());
    private FakeWorker owner;
    private FakeWorker second;
    private volatile WorkerSet workers;
    private RegionFiles files;
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
        RegionReaderConfig reads =
                new RegionReaderConfig(
                        TOTAL,
                        ATTEMPT,
                        Duration.ofSeconds(60),
                        Duration.ofMillis(500),
                        0.05,
                        SILENCE,
                        1 << 20);
        files =
                new RegionFiles(
                        client,
                        () -> workers,
                        new RegionFilesConfig(reads, IMAGE_FIRST_BYTE, Duration.ofSeconds(30)));
        digest = digestOf(IMAGE);
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

    private static Digest digestOf(byte[] bytes) throws Exception {
        return new Digest(
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)));
    }

    private static void send(HttpExchange exchange, Digest digest) throws IOException {
        exchange.getResponseHeaders().add(ReprDigest.HEADER, ReprDigest.of(digest));
        FakeWorker.send(exchange, 200, IMAGE);
    }

    @Test
    void anImageComesFromItsOwner() {
        assertThat(files.image(VERSION, MANIFEST, file)).isEqualTo(digest);

        assertThat(file).hasBinaryContent(IMAGE);
        assertThat(owner.requests()).containsExactly(REQUEST);
        assertThat(second.requests()).isEmpty();
    }

    @Test
    void anImageComesFromTheNextWorkerIfTheOwnerIsAwayOrRefuses() {
        owner.refuse(503, "UNAVAILABLE");
        assertThat(files.image(VERSION, MANIFEST, file)).isEqualTo(digest);
        assertThat(owner.requests()).hasSize(1);

        workers = new WorkerSet(workers.registered(), Set.of(second.node().id()));
        assertThat(files.image(VERSION, MANIFEST, file)).isEqualTo(digest);
        assertThat(owner.requests()).hasSize(1);
    }

    @Test
    void anImageWithAWrongOrMissingDigestIsNotKept() {
        owner.behave(exchange -> send(exchange, MANIFEST));
        second.behave(exchange -> FakeWorker.send(exchange, 200, IMAGE));
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> files.image(VERSION, MANIFEST, file))
                .matches(e -> e.code() == ErrorCode.UNAVAILABLE)
                .withMessageContaining("without a digest");
        assertThat(directory).isEmptyDirectory();

        workers = new WorkerSet(workers.registered(), Set.of(owner.node().id()));
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> files.image(VERSION, MANIFEST, file))
                .matches(e -> e.code() == ErrorCode.CORRUPT);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void anImageIsUnavailableInARegionWithoutWorkers() {
        workers = new WorkerSet(List.of(), Set.of());
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> files.image(VERSION, MANIFEST, file))
                .matches(e -> e.code() == ErrorCode.UNAVAILABLE);
    }

    @Test
    void aSilentOwnerDelaysAnImageBrieflyAndOnlyOnce() {
        owner.silent();
        assertThat(timed(() -> files.image(VERSION, MANIFEST, file))).isLessThan(IMAGE_FIRST_BYTE);
        assertThat(file).hasBinaryContent(IMAGE);
        int asked = owner.requests().size();
        files.image(VERSION, MANIFEST, file);
        assertThat(owner.requests()).hasSize(asked);
    }

    @Test
    void anImageFailsSoonIfTheOnlyWorkerIsSilent() {
        owner.silent();
        workers = new WorkerSet(workers.registered(), Set.of(owner.node().id()));
        assertThat(timed(() -> assertUnavailable(() -> files.image(VERSION, MANIFEST, file))))
                .isLessThan(IMAGE_FIRST_BYTE);
    }

    /** The worker takes longer than it may take to begin with a manifest. */
    @Test
    void aLiveOwnerHasTimeToWriteTheImage() {
        owner.behave(
                exchange -> {
                    if (exchange.getRequestURI().getPath().endsWith("/image")) {
                        pause(ATTEMPT.plusSeconds(1));
                        send(exchange, digest);
                    } else {
                        FakeWorker.send(exchange, 200, new byte[0]);
                    }
                });
        files.image(VERSION, MANIFEST, file);
        assertThat(second.requests()).isEmpty();
    }

    @Test
    void aManifestComesFromAnotherWorkerIfOneIsSilent() throws Exception {
        comesFromTheOtherThan(FakeWorker::silent);
    }

    @Test
    void aManifestComesFromAnotherWorkerIfOneAnswersOnlyStatus() throws Exception {
        comesFromTheOtherThan(FakeWorker::busy);
    }

    @Test
    void aManifestComesFromAnotherWorkerIfOneStopsInTheMiddle() throws Exception {
        comesFromTheOtherThan(
                worker ->
                        worker.behave(
                                exchange -> {
                                    exchange.sendResponseHeaders(200, LARGE.length);
                                    exchange.getResponseBody()
                                            .write(LARGE, 0, 3 * LARGE.length / 4);
                                    exchange.getResponseBody().flush();
                                    pause(IMAGE_FIRST_BYTE);
                                }));
    }

    @Test
    void aManifestComesFromAnotherWorkerIfOneSendsTooSlowly() throws Exception {
        comesFromTheOtherThan(
                worker ->
                        worker.behave(
                                exchange -> {
                                    exchange.sendResponseHeaders(200, LARGE.length);
                                    for (int i = 0; i < 2_000; i++) {
                                        exchange.getResponseBody().write(LARGE[i]);
                                        exchange.getResponseBody().flush();
                                        pause(Duration.ofMillis(10));
                                    }
                                }));
    }

    /** Chance decides which worker is asked first, so the test repeats until it was the bad one. */
    private void comesFromTheOtherThan(Consumer<FakeWorker> spoil) throws Exception {
        Digest manifest = digestOf(LARGE);
        spoil.accept(owner);
        second.behave(exchange -> FakeWorker.send(exchange, 200, LARGE));
        for (int i = 0; i < 100 && owner.requests().isEmpty(); i++) {
            assertThat(timed(() -> files.manifest(manifest, file))).isLessThan(IMAGE_FIRST_BYTE);
            assertThat(file).hasBinaryContent(LARGE);
        }
        assertThat(owner.requests()).isNotEmpty();
        int asked = owner.requests().size();
        for (int i = 0; i < 10; i++) {
            files.manifest(manifest, file);
        }
        assertThat(owner.requests()).hasSize(asked);
        assertThat(directory.toFile().list()).containsExactly("image");
    }

    /** The only worker takes longer than it could if there were another one. */
    @Test
    void aManifestMayTakeLongerIfThereIsOnlyOneWorker() throws Exception {
        workers = new WorkerSet(workers.registered(), Set.of(owner.node().id()));
        owner.behave(
                exchange -> {
                    pause(ATTEMPT.plusSeconds(1));
                    FakeWorker.send(exchange, 200, LARGE);
                });
        files.manifest(digestOf(LARGE), file);
        assertThat(file).hasBinaryContent(LARGE);
    }

    @Test
    void aManifestFailsAfterTheTotalTimeoutIfTheOnlyWorkerIsSilent() {
        workers = new WorkerSet(workers.registered(), Set.of(owner.node().id()));
        owner.silent();
        assertThat(timed(() -> assertUnavailable(() -> files.manifest(MANIFEST, file))))
                .isBetween(TOTAL.minusMillis(500), TOTAL.multipliedBy(3));
    }

    @Test
    void aManifestWithAWrongDigestIsNotKept() throws Exception {
        workers = new WorkerSet(workers.registered(), Set.of(owner.node().id()));
        owner.json("another manifest");
        assertThatThrownBy(() -> files.manifest(digestOf(LARGE), file))
                .hasMessageContaining("arrived as");
        owner.refuse(404, "NOT_FOUND");
        assertThatThrownBy(() -> files.manifest(digestOf(LARGE), file))
                .hasMessageContaining("because");
        assertThat(directory).isEmptyDirectory();
    }

    private static void assertUnavailable(ThrowingCallable call) {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(call)
                .matches(e -> e.code() == ErrorCode.UNAVAILABLE);
    }

    private static Duration timed(Runnable action) {
        long before = System.nanoTime();
        action.run();
        return Duration.ofNanos(System.nanoTime() - before);
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
