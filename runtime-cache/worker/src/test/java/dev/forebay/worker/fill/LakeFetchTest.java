package dev.forebay.worker.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.StoreLimits;
import dev.forebay.lake.ReadMeter;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.Sibling;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Waiting within a fetch, and threads that cannot be started. */
class LakeFetchTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Digest MANIFEST = new Digest("1".repeat(64));

    private final FakeLake lake = new FakeLake();
    private final OnePack version = new OnePack("1");

    @TempDir private Path directory;

    @BeforeEach
    void fourObjects() {
        for (String key : List.of("a", "b", "c", "d")) {
            version.with(lake, key, 5_000);
        }
    }

    /**
     * Otherwise readers would write into the buffer of the next fill, whose checksums are computed
     * from it.
     */
    @Test
    void aBufferIsReturnedOnlyAfterAllStartedReadsEnd() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch twoWrite = new CountDownLatch(2);
        AtomicInteger writing = new AtomicInteger();
        lake.beforeEachRead(
                () -> {
                    writing.incrementAndGet();
                    twoWrite.countDown();
                    awaitQuietly(goOn);
                    writing.decrementAndGet();
                });
        LakeFetch fetch =
                fetch(
                        failingAtTheThird(
                                () -> {
                                    awaitQuietly(twoWrite);
                                    throw new IllegalStateException("simulated");
                                }));
        try (ChunkStore store =
                        ChunkStore.open(
                                List.of(directory), new StoreLimits(64L << 20, 1_000), _ -> false);
                var threads = Executors.newVirtualThreadPerTaskExecutor();
                AutoCloseable _ = goOn::countDown) {
            ChunkBuffers buffers = new ChunkBuffers(1, 1);
            ChunkFill fill = fill(store, buffers, fetch);
            Future<?> filling =
                    threads.submit(
                            () -> fill.fill(need(), 0, 1, Urgency.demand(), () -> {}, () -> {}));
            Future<Integer> next =
                    threads.submit(
                            () -> {
                                awaitQuietly(twoWrite);
                                try (var _ = buffers.borrow(1, Urgency.demand(), LONG)) {
                                    return writing.get();
                                }
                            });
            assertThatThrownBy(() -> next.get(100, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            goOn.countDown();

            assertThat(next.get(30, TimeUnit.SECONDS)).as("reads that still write").isZero();
            assertThatThrownBy(filling::get).hasRootCauseMessage("simulated");
        }
    }

    @Test
    void otherThreadsTakeOverTheReadsOfAThreadThatFailsToStart() {
        ThreadFactory threads =
                failingAtTheThird(
                        () -> {
                            throw new OutOfMemoryError("simulated");
                        });
        try (LakeFetch.Fetch pieces = begin(threads)) {
            assertThat(pieces.await()).isEmpty();
        }
        assertThat(lake.takeReads()).hasSize(4);
    }

    @Test
    void aFetchFailsIfNoThreadStarts() {
        ThreadFactory none =
                _ -> {
                    throw new OutOfMemoryError("simulated");
                };
        try (LakeFetch.Fetch pieces = begin(none)) {
            assertThat(pieces.await())
                    .hasSize(4)
                    .allMatch(failure -> failure.cause().code() == ErrorCode.INTERNAL);
        }
    }

    @Test
    void aThreadThatRunsAfterAFailedStartReadsNothing() {
        List<Runnable> late = new ArrayList<>();
        ThreadFactory failing =
                reader -> {
                    late.add(reader);
                    throw new IllegalStateException("simulated");
                };
        assertThatThrownBy(() -> begin(failing).close()).hasMessage("simulated");

        late.forEach(Runnable::run);

        assertThat(late).hasSize(1);
        assertThat(lake.takeReads()).isEmpty();
    }

    @Test
    void queuedRequestsAreNotSentAfterTheLakeFails() {
        AtomicInteger asked = new AtomicInteger();
        lake.beforeEachRead(asked::incrementAndGet);
        List.of("a", "b", "c", "d").forEach(key -> lake.fail(key, ErrorCode.LAKE_UNAVAILABLE));
        Permits budget = new Permits("a request to the lake", 1, 16);
        budget.acquire(Urgency.demand(), LONG);
        try (LakeFetch.Fetch pieces = begin(fetch(budget, Thread.ofVirtual().factory()))) {
            awaitWaiting(budget, 4);
            budget.release();
            assertThat(pieces.await())
                    .hasSize(4)
                    .allMatch(failure -> failure.cause().code() == ErrorCode.LAKE_UNAVAILABLE);
        }
        assertThat(asked).hasValue(1);
    }

    /** Repeats it, because the failure must come in the moment before the request is sent. */
    @Test
    void aFailureOfOtherPiecesDoesNotStopThoseThatAReaderWaitsFor() {
        List.of("b", "c", "d").forEach(key -> lake.fail(key, ErrorCode.LAKE_UNAVAILABLE));
        List<ChunkContents.Piece> pieces = need().pieces();
        FetchOrder order = new FetchOrder(pieces.subList(0, 1), pieces.subList(1, 4));
        LakeFetch fetch = fetch(Thread.ofVirtual().factory());
        for (int i = 0; i < 10_000; i++) {
            try (LakeFetch.Fetch both =
                    fetch.begin(
                            "bucket",
                            order,
                            ByteBuffer.allocate(need().length()),
                            Urgency.demand(),
                            ReadMeter.NONE)) {
                assertThat(both.awaitFirst()).as("attempt %d", i).isEmpty();
            }
        }
    }

    /** "An object that changed in the lake": archived, or encrypted with its own key. */
    @Test
    void anObjectThatTheLakeDeniesFailsAlone() {
        lake.fail("a", ErrorCode.LAKE_DENIED);
        for (int i = 0; i < 40; i++) {
            version.with(lake, "e" + i, 5_000);
        }
        try (LakeFetch.Fetch pieces = begin(Thread.ofVirtual().factory())) {
            assertThat(pieces.await())
                    .singleElement()
                    .satisfies(
                            failure -> {
                                assertThat(failure.piece().segment().key()).isEqualTo("a");
                                assertThat(failure.cause().code()).isEqualTo(ErrorCode.LAKE_DENIED);
                            });
        }
        assertThat(lake.takeReads()).hasSize(44);
    }

    @Test
    void aFetchStopsWhenTheLakeDeniesEveryObject() {
        List.of("a", "b", "c", "d").forEach(key -> lake.fail(key, ErrorCode.LAKE_DENIED));
        for (int i = 0; i < 40; i++) {
            version.with(lake, "e" + i, 5_000);
            lake.fail("e" + i, ErrorCode.LAKE_DENIED);
        }
        try (LakeFetch.Fetch pieces = begin(Thread.ofVirtual().factory())) {
            assertThat(pieces.await())
                    .hasSize(44)
                    .allMatch(failure -> failure.cause().code() == ErrorCode.LAKE_DENIED);
        }
        assertThat(lake.takeReads()).as("8 requests, and those already sent").hasSizeBetween(8, 11);
    }

    @Test
    void piecesThatAReaderWaitsForAreFetchedFirst() {
        assertThat(orderOfReads(Urgency.demand())).containsExactly(5_000, 3_000, 4_000);
    }

    @Test
    void aSecondCallerMakesTheRestOfAChunkUrgent() {
        Urgency shared = Urgency.demand();
        shared.raise();
        assertThat(orderOfReads(shared)).endsWith(3_000);
    }

    /**
     * Returns the sizes of the reads in their order. One chunk has 5,000 bytes that a reader waits
     * for and 4,000 other bytes, and a second chunk has 3,000.
     */
    private List<Integer> orderOfReads(Urgency urgency) {
        version.with(lake, "rest", 4_000).with(lake, "other", 3_000);
        List<ChunkContents.Piece> pieces = need().pieces();
        List<Integer> order = new CopyOnWriteArrayList<>();
        ReadMeter meter =
                new ReadMeter() {
                    @Override
                    public void asking(long bytes) {
                        order.add((int) bytes);
                    }

                    @Override
                    public void answered(long bytes, long came) {}

                    @Override
                    public void notAsked(long bytes) {}
                };
        Permits budget = new Permits("a request to the lake", 1, 16);
        LakeFetch fetch = fetch(budget, Thread.ofVirtual().factory());
        ByteBuffer target = ByteBuffer.allocate(need().length());
        FetchOrder chunk = new FetchOrder(List.of(pieces.get(0)), List.of(pieces.get(4)));
        FetchOrder other = new FetchOrder(List.of(pieces.get(5)), List.of());
        budget.acquire(Urgency.demand(), LONG);
        try (LakeFetch.Fetch one = fetch.begin("bucket", chunk, target, urgency, meter)) {
            awaitWaiting(budget, 2);
            try (LakeFetch.Fetch two =
                    fetch.begin("bucket", other, target, Urgency.demand(), meter)) {
                awaitWaiting(budget, 3);
                budget.release();
                assertThat(one.await()).isEmpty();
                assertThat(two.await()).isEmpty();
            }
        }
        return order;
    }

    private static void awaitWaiting(Permits budget, int expected) {
        while (budget.waiting() < expected) {
            Thread.onSpinWait();
        }
    }

    private static ThreadFactory failingAtTheThird(Runnable failure) {
        ThreadFactory threads = Thread.ofVirtual().factory();
        AtomicInteger asked = new AtomicInteger();
        return reader -> {
            if (asked.incrementAndGet() == 3) {
                failure.run();
            }
            return threads.newThread(reader);
        };
    }

    private LakeFetch.Fetch begin(ThreadFactory threads) {
        return begin(fetch(threads));
    }

    private LakeFetch.Fetch begin(LakeFetch fetch) {
        ChunkContents need = need();
        return fetch.begin(
                need.bucket(),
                new FetchOrder(need.pieces(), List.of()),
                ByteBuffer.allocate(need.length()),
                Urgency.demand(),
                ReadMeter.NONE);
    }

    private LakeFetch fetch(ThreadFactory threads) {
        return fetch(new Permits("a request to the lake", 16, 16), threads);
    }

    private LakeFetch fetch(Permits budget, ThreadFactory threads) {
        return new LakeFetch(
                lake,
                new LakePace(100_000),
                budget,
                4,
                LONG,
                new ChangedObjects(Duration.ofMinutes(1), 100),
                new SilentObserver(),
                threads);
    }

    private static ChunkFill fill(ChunkStore store, ChunkBuffers buffers, LakeFetch fetch) {
        return new ChunkFill(
                store,
                buffers,
                buffers,
                Peers.none(),
                Siblings.none(),
                fetch,
                new NoAccount(),
                LONG,
                new SilentObserver());
    }

    private ChunkContents need() {
        return ChunkContents.of(MANIFEST, version, version.chunk(0), version.length(0));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class NoAccount implements FillAccount {

        @Override
        public ReadMeter lakeReads(Digest manifest) {
            return ReadMeter.NONE;
        }

        @Override
        public void took(Digest manifest, long bytes) {}

        @Override
        public void tookFromPeer(Digest manifest, long bytes) {}

        @Override
        public void tookFromSibling(Digest manifest, Sibling sibling, long bytes, long kept) {}
    }
}
