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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RegionReaderTest {

    private static final int BLOCK = ChunkId.CHECKSUM_BLOCK_BYTES;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final PackId PACK = PackId.parse("a".repeat(64));
    private static final Digest MANIFEST = new Digest("b".repeat(64));

    private final byte[] pack = new byte[ChunkId.CHUNK_BYTES + 5 * BLOCK];
    private final WorkerClient client = new WorkerClient(WorkerClientConfig.defaults());

    /** The owner of the first chunk. The worker {@code second} is next in the ranking. */
    private FakeWorker owner;

    private FakeWorker second;
    private volatile WorkerSet workers;
    private RegionReader reader;
    private final Hedges hedges = new Hedges();

    private static final class Hedges implements ReadEvents {
        private final AtomicInteger won = new AtomicInteger();
        private final AtomicInteger lost = new AtomicInteger();

        @Override
        public void answered(WorkerNode worker, ReadAnswer answer) {}

        @Override
        public void failedAttempt(WorkerNode worker, ForebayException failure) {}

        @Override
        public void hedged(WorkerNode worker, boolean first) {
            (first ? won : lost).incrementAndGet();
        }
    }

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
        return reader(total, Duration.ofMillis(100));
    }

    private RegionReader reader(Duration total, Duration hedgeAfter) {
        return reader(total, Duration.ofSeconds(5), hedgeAfter);
    }

    private RegionReader reader(Duration total, Duration attempt, Duration hedgeAfter) {
        return new RegionReader(
                client,
                () -> workers,
                new RegionReaderConfig(
                        total,
                        attempt,
                        Duration.ofSeconds(5),
                        hedgeAfter,
                        0.05,
                        Duration.ofSeconds(1),
                        4 << 20),
                hedges);
    }

    /** Has a long hedge delay, so that a slow machine does not make the owner look slow. */
    private void asksNobodyElseSoon() {
        reader = reader(Duration.ofSeconds(10), Duration.ofSeconds(4));
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
    void asksOnlyTheOwner() {
        asksNobodyElseSoon();
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
    void joinsShortAnswers() {
        asksNobodyElseSoon();
        owner.oneBlockEach();
        assertThat(read(0, 5 * BLOCK)).isEqualTo(Arrays.copyOf(pack, 5 * BLOCK));
        assertThat(owner.requests()).hasSize(5);
    }

    @Test
    void asksTheNextWorkerIfTheOwnerIsSilentAndRemembersIt() {
        owner.silent();
        second.cold();
        readsFirstBlock();
        assertThat(hedges.lost).hasValue(1);
        pauseBeforeReads(second, Duration.ofMillis(300));
        readsFirstBlock();
        assertThat(owner.reads()).hasSize(1);
        assertThat(second.reads()).hasSize(3);
    }

    /** Makes a worker slow that is alive. */
    private static void pauseBeforeReads(FakeWorker worker, Duration pause) {
        worker.behave(
                exchange -> {
                    if (exchange.getRequestURI().getPath().startsWith("/v1/packs/")) {
                        pause(pause);
                        worker.serve(exchange);
                    } else {
                        FakeWorker.send(exchange, 200, new byte[0]);
                    }
                });
    }

    @Test
    void readsACopyFromTheNextWorkerIfTheOwnerIsSlow() {
        owner.busy();
        readsFirstBlock();
        assertThat(hedges.won).hasValue(1);
    }

    @Test
    void waitsForALiveOwnerAndMakesNoOtherWorkerFetch() {
        second.cold();
        pauseBeforeReads(owner, Duration.ofMillis(2500));
        readsFirstBlock();
        assertThat(second.reads()).hasSize(1);
        assertThat(hedges.lost).hasValue(1);
    }

    /** A worker that refuses is alive, so its other reads continue to the end. */
    @Test
    void aRefusalDoesNotEndOtherReadsFromTheSameWorker() throws Exception {
        second.cold();
        CountDownLatch asked = new CountDownLatch(1);
        owner.behave(
                exchange -> {
                    String path = exchange.getRequestURI().getPath();
                    if (!path.startsWith("/v1/packs/")) {
                        FakeWorker.send(exchange, 200, new byte[0]);
                    } else if (asked.getCount() == 0) {
                        FakeWorker.send(
                                exchange, 503, "{\"code\":\"UNAVAILABLE\"}".getBytes(UTF_8));
                    } else {
                        asked.countDown();
                        pause(Duration.ofMillis(1500));
                        owner.serve(exchange);
                    }
                });
        CompletableFuture<byte[]> slow = CompletableFuture.supplyAsync(() -> read(0, BLOCK));
        assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
        read(BLOCK, 2 * BLOCK);

        assertThat(slow.get(10, TimeUnit.SECONDS)).isEqualTo(Arrays.copyOf(pack, BLOCK));
        assertThat(second.reads())
                .as("asked for a copy of the first block, and read for the second")
                .hasSize(2);
    }

    @Test
    void retriesAnOverloadedOwnerAndAsksOthersForCopiesOnly() throws Exception {
        second.cold();
        owner.crowded();
        CompletableFuture<byte[]> reading = CompletableFuture.supplyAsync(() -> read(0, BLOCK));
        assertThat(second.awaitRequests(FakeWorker::isRead, 2, TIMEOUT)).isTrue();
        assertThat(reading).isNotDone();
        owner.honest();
        assertThat(reading.get(10, TimeUnit.SECONDS)).isEqualTo(Arrays.copyOf(pack, BLOCK));
    }

    @Test
    void readsACopyWhileTheOwnerIsOverloaded() {
        owner.crowded();
        readsFirstBlock();
        assertThat(second.reads()).hasSize(1);
    }

    @Test
    void asksTheNextWorkerIfTheOwnerStaysOverloaded() {
        reader = reader(Duration.ofSeconds(10), Duration.ofMillis(300), Duration.ofMillis(100));
        owner.crowded();
        second.cold();
        readsFirstBlock();
        assertThat(second.reads()).hasSizeGreaterThan(1);
    }

    @Test
    void asksTheNextWorkerIfTheOwnerSendsTooSlowly() {
        owner.trickle();
        second.cold();
        readsFirstBlock();
        int asked = owner.reads().size();
        readsFirstBlock();
        assertThat(owner.reads()).as("the reader remembers it").hasSize(asked);
    }

    @Test
    void returnsToARecoveredOwnerWhileTheLastWorkerIsSilent() throws Exception {
        owner.silent();
        second.silent();
        CompletableFuture<byte[]> reading = CompletableFuture.supplyAsync(() -> read(0, BLOCK));
        // The second worker is asked once for a copy, and then as the last worker.
        assertThat(second.awaitRequests(FakeWorker::isRead, 2, TIMEOUT)).isTrue();
        owner.honest();
        assertThat(reading.get(4, TimeUnit.SECONDS))
                .as("long before its time-out")
                .isEqualTo(Arrays.copyOf(pack, BLOCK));
    }

    @Test
    void waitsForTheOnlyWorkerEvenIfItIsSlow() {
        live(owner.node().id());
        owner.behave(
                exchange -> {
                    pause(Duration.ofSeconds(1));
                    owner.serve(exchange);
                });
        readsFirstBlock();
        assertThat(owner.requests()).hasSize(1);
    }

    @Test
    void theHedgeBudgetAllowsASmallShareOfTheReads() {
        HedgeBudget budget = new HedgeBudget(0.05);
        int taken = 0;
        for (int i = 0; i < 1000; i++) {
            budget.earn();
            taken += budget.take() ? 1 : 0;
        }
        assertThat(taken).isBetween(50, 60);
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void asksTheNextWorkerIfTheOwnerIsGoneRefusesOrSendsDamage() {
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
    void reportsDamagedOrTruncatedBytesToTheirWorker() {
        owner.flipBit();
        readsFirstBlock();
        awaitVerifications(1);
        owner.cutShort();
        readsFirstBlock();
        awaitVerifications(2);
        assertThat(second.requests()).noneMatch(request -> request.startsWith("POST"));
    }

    @Test
    void readsFromTheOnlyWorkerOnceItHasRepairedItsChunk() {
        live(owner.node().id());
        AtomicBoolean mended = new AtomicBoolean();
        owner.behave(
                exchange -> {
                    if (exchange.getRequestMethod().equals("POST")) {
                        mended.set(true);
                        FakeWorker.send(
                                exchange, 200, "{\"verdict\":\"REPAIRED\"}".getBytes(UTF_8));
                    } else if (mended.get()) {
                        owner.serve(exchange);
                    } else {
                        FakeWorker.send(exchange, 206, new byte[0]);
                    }
                });
        readsFirstBlock();
    }

    /**
     * Reads until the owner has received this many verifications. One read may not be enough. A
     * reader sends no second verification of a chunk while one is running.
     */
    private void awaitVerifications(int count) {
        String verification = "POST /v1/packs/" + PACK + "/chunks/0/verify?manifest=" + MANIFEST;
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!owner.awaitRequests(verification::equals, count, Duration.ofMillis(50))) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            readsFirstBlock();
        }
    }

    @Test
    void doesNotAskAWorkerThatIsNotLive() {
        live(second.node().id());
        readsFirstBlock();
        assertThat(owner.requests()).isEmpty();
    }

    @Test
    void asksAllWorkersIfNoneIsKnownToBeLive() {
        live();
        readsFirstBlock();
    }

    @Test
    void retriesUntilAWorkerRecovers() throws Exception {
        owner.refuse(503, "LAKE_UNAVAILABLE");
        second.refuse(503, "UNAVAILABLE");
        Thread reading = Thread.ofVirtual().start(this::readsFirstBlock);
        assertThat(owner.awaitRequests(_ -> true, 3, TIMEOUT)).isTrue();
        owner.honest();
        reading.join();
        assertThat(second.requests()).hasSizeGreaterThan(1);
    }

    @Test
    void failsAtTheTotalTimeout() {
        reader = reader(Duration.ofSeconds(2));
        owner.silent();
        second.silent();
        long before = System.nanoTime();
        fails(ErrorCode.UNAVAILABLE);
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .isBetween(Duration.ofSeconds(1), TIMEOUT);
    }

    @Test
    void aChangedObjectEndsTheReadAtOnce() {
        asksNobodyElseSoon();
        owner.refuse(502, "LAKE_OBJECT_CHANGED");
        fails(ErrorCode.LAKE_OBJECT_CHANGED);
        assertThat(second.requests()).isEmpty();
    }

    @Test
    void failsWithNotFoundAfterRetriesIfNoWorkerKnowsThePack() {
        owner.refuse(404, "NOT_FOUND");
        second.refuse(404, "NOT_FOUND");
        fails(ErrorCode.NOT_FOUND);
        assertThat(owner.requests()).hasSizeGreaterThan(1);
    }

    @Test
    void failsLongBeforeTheTotalTimeoutIfTheVersionIsBeingEvicted() {
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
