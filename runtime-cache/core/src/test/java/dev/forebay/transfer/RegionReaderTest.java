package dev.forebay.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RegionReaderTest {

    private static final int BLOCK = ChunkId.CHECKSUM_BLOCK_BYTES;
    private static final PackId PACK = PackId.parse("a".repeat(64));
    private static final Digest MANIFEST = new Digest("b".repeat(64));

    private final byte[] pack = new byte[ChunkId.CHUNK_BYTES + 5 * BLOCK];
    private final WorkerClient client = new WorkerClient(WorkerClientConfig.defaults());

    /** By their claim to the first chunk. */
    private FakeWorker owner;

    private FakeWorker second;
    private volatile WorkerSet workers;
    private RegionReader reader;

    @BeforeEach
    void start() throws Exception {
        new Random(1).nextBytes(pack);
        FakeWorker one = new FakeWorker("w1", pack);
        FakeWorker two = new FakeWorker("w2", pack);
        List<WorkerNode> nodes = List.of(one.node(), two.node());
        boolean oneFirst =
                Placement.rank(new ChunkId(PACK, 0), nodes).getFirst().equals(one.node());
        owner = oneFirst ? one : two;
        second = oneFirst ? two : one;
        live("w1", "w2");
        reader = reader(Duration.ofSeconds(10));
    }

    @AfterEach
    void stop() {
        client.close();
        owner.close();
        second.close();
    }

    private RegionReader reader(Duration total) {
        return new RegionReader(
                client,
                () -> workers,
                new RegionReaderConfig(total, Duration.ofMillis(500), Duration.ofSeconds(5)),
                ReadEvents.NONE);
    }

    private void live(String... ids) {
        workers =
                new WorkerSet(
                        List.of(owner.node(), second.node()), new HashSet<>(Arrays.asList(ids)));
    }

    private byte[] read(long from, long to) {
        ByteBuffer target = ByteBuffer.allocate((int) (to - from));
        reader.read(MANIFEST, PACK, from, to, target);
        assertThat(target.hasRemaining()).isFalse();
        return target.array();
    }

    private void readsFirstBlock() {
        assertThat(read(0, BLOCK)).isEqualTo(Arrays.copyOf(pack, BLOCK));
    }

    private void fails(ErrorCode code) {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> read(0, BLOCK))
                .matches(e -> e.code() == code, code.name());
    }

    @Test
    void asksTheOwnerAndNobodyElse() {
        readsFirstBlock();
        assertThat(owner.requests()).hasSize(1);
        assertThat(second.requests()).isEmpty();
    }

    @Test
    void readsAcrossChunks() {
        int from = ChunkId.CHUNK_BYTES - 3 * BLOCK + 17;
        assertThat(read(from, pack.length)).isEqualTo(Arrays.copyOfRange(pack, from, pack.length));
    }

    @Test
    void putsShortAnswersTogether() {
        owner.oneBlockEach();
        assertThat(read(0, 5 * BLOCK)).isEqualTo(Arrays.copyOf(pack, 5 * BLOCK));
        assertThat(owner.requests()).hasSize(5);
    }

    @Test
    void goesToTheNextWhenTheOwnerIsSilentAndRemembersThat() {
        owner.silent();
        readsFirstBlock();
        readsFirstBlock();
        assertThat(owner.requests()).hasSize(1);
        assertThat(second.requests()).hasSize(2);
    }

    @Test
    void goesToTheNextWhenTheOwnerIsGoneOrRefusesOrLies() {
        owner.refuse(503, "UNAVAILABLE");
        readsFirstBlock();
        owner.flipBit();
        readsFirstBlock();
        owner.refuse(507, "CAPACITY_EXCEEDED");
        readsFirstBlock();
        owner.close();
        readsFirstBlock();
    }

    @Test
    void goesOnWithTheNextAndTellsTheWorkerWhoseBytesAreDamagedOrEndEarly() {
        owner.flipBit();
        readsFirstBlock();
        awaitVerifications(1);
        owner.cutShort();
        readsFirstBlock();
        awaitVerifications(2);
        assertThat(second.requests()).noneMatch(request -> request.startsWith("POST"));
    }

    @Test
    void aWorkerThatMendsItsOnlyCopyIsReadFromInTheEnd() {
        live(owner.node().id());
        AtomicBoolean mended = new AtomicBoolean();
        owner.behave(
                exchange -> {
                    if (exchange.getRequestMethod().equals("POST")) {
                        mended.set(true);
                        FakeWorker.send(exchange, 200, "{\"verdict\":\"MENDED\"}".getBytes(UTF_8));
                    } else if (mended.get()) {
                        owner.serve(exchange);
                    } else {
                        FakeWorker.send(exchange, 206, new byte[0]);
                    }
                });
        readsFirstBlock();
    }

    private void awaitVerifications(int count) {
        String verification = "POST /v1/packs/" + PACK + "/chunks/0/verify?manifest=" + MANIFEST;
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (owner.requests().stream().filter(verification::equals).count() < count) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    @Test
    void doesNotAskAWorkerThatIsNotLive() {
        live(second.node().id());
        readsFirstBlock();
        assertThat(owner.requests()).isEmpty();
    }

    @Test
    void asksEverybodyWhenNobodyIsKnownToBeLive() {
        live();
        readsFirstBlock();
    }

    @Test
    void triesAgainUntilAWorkerRecovers() throws Exception {
        owner.refuse(503, "LAKE_UNAVAILABLE");
        second.refuse(503, "UNAVAILABLE");
        Thread reading = Thread.ofVirtual().start(this::readsFirstBlock);
        while (owner.requests().size() < 3) {
            Thread.onSpinWait();
        }
        owner.honest();
        reading.join();
        assertThat(second.requests()).hasSizeGreaterThan(1);
    }

    @Test
    void endsAtTheTotalTimeout() {
        reader = reader(Duration.ofSeconds(2));
        owner.silent();
        second.silent();
        long before = System.nanoTime();
        fails(ErrorCode.UNAVAILABLE);
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(4));
    }

    @Test
    void aChangedObjectEndsTheReadAtOnce() {
        owner.refuse(502, "LAKE_OBJECT_CHANGED");
        fails(ErrorCode.LAKE_OBJECT_CHANGED);
        assertThat(second.requests()).isEmpty();
    }

    @Test
    void whatNobodyKnowsIsNotFoundAfterAWhile() {
        owner.refuse(404, "NOT_FOUND");
        second.refuse(404, "NOT_FOUND");
        fails(ErrorCode.NOT_FOUND);
        assertThat(owner.requests()).hasSizeGreaterThan(1);
    }

    @Test
    void whatTheRegionIsEvictingFailsLongBeforeTheTotalTimeout() {
        reader = reader(Duration.ofSeconds(60));
        owner.refuse(409, "EVICTING");
        second.refuse(404, "NOT_FOUND");
        long before = System.nanoTime();
        fails(ErrorCode.NOT_FOUND);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void aRegionWithoutWorkersIsUnavailable() {
        reader = reader(Duration.ofMillis(300));
        workers = new WorkerSet(List.of(), Set.of());
        fails(ErrorCode.UNAVAILABLE);
    }
}
