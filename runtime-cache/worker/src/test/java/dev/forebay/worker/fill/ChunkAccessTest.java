package dev.forebay.worker.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.StoreLimits;
import dev.forebay.lake.ReadMeter;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.Manifest;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Sibling;
import dev.forebay.transfer.FillAnswer;
import dev.forebay.transfer.Source;
import dev.forebay.transfer.VerifyAnswer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChunkAccessTest {

    private static final int MIB = 1 << 20;
    private static final Sibling OTHER = new Sibling(URI.create("http://agent.other:8080"), false);

    private final FakeLake lake = new FakeLake();
    private final OnePack v1 = new OnePack("1");

    @TempDir Path directory;
    private final Map<Digest, Long> taken = new ConcurrentHashMap<>();
    private final AtomicInteger lakeRequests = new AtomicInteger();
    private final AtomicLong cameFromLake = new AtomicLong();
    private final AtomicLong cameFromPeers = new AtomicLong();
    private final AtomicLong cameFromSiblings = new AtomicLong();
    private final AtomicLong keptFromSiblings = new AtomicLong();
    private final NotedAhead ahead = new NotedAhead();
    private volatile long writtenWhenTold = -1;
    private ChunkStore store;
    private ChunkAccess chunks;

    @BeforeEach
    void open() {
        store = ChunkStore.open(List.of(directory), new StoreLimits(64L * MIB, 1_000), _ -> false);
        chunks = access(Peers.none());
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aColdReadFetchesEachObjectOfAChunkWithOneRequest() {
        v1.with(lake, "a", 1).with(lake, "b", 4096).with(lake, "c", 70_000);

        ChunkAccess.Present present = open(v1, 0, 0, v1.length(0));

        assertThat(present.source()).isEqualTo(Source.LAKE);
        assertBytes(v1, present);
        assertThat(lake.takeReads()).containsExactly("a[0, 1)", "b[0, 4096)", "c[0, 70000)");
        assertThat(lakeRequests).hasValue(3);
        assertThat(cameFromLake).hasValue(1 + 4096 + 70_000);
    }

    @Test
    void aChunkFileIsClosedWhenTheManifestFails() throws IOException {
        v1.with(lake, "a", 10).gap(8192).with(lake, "b", 10);
        open(v1, 0, 0, 10).chunk().close();
        chunks.awaitFills(pack -> true);
        ChunkAccess.Version version = withoutRows(v1.digest());

        assertThatThrownBy(() -> chunks.cached(version, v1.chunk(0), v1.length(0), 0, v1.length(0)))
                .hasMessage("a bad row");

        assertThat(openFiles()).noneMatch(file -> file.startsWith(directory.resolve("chunks")));
    }

    @Test
    void aChunkFileIsClosedWhenAFillAheadHintFails() throws IOException {
        v1.with(lake, "large", 20 * MIB);
        chunks.fill(v1.version(), v1.chunk(1), v1.length(1));
        ahead.filledAhead(v1.chunk(1));
        ahead.failing = true;

        assertThatThrownBy(() -> open(v1, 1, 0, 100)).hasMessage("no hint");

        assertThat(openFiles()).noneMatch(file -> file.startsWith(directory.resolve("chunks")));
    }

    private static ChunkAccess.Version withoutRows(Digest digest) {
        Manifest broken =
                (Manifest)
                        Proxy.newProxyInstance(
                                Manifest.class.getClassLoader(),
                                new Class<?>[] {Manifest.class},
                                (_, _, _) -> {
                                    throw new ForebayException(ErrorCode.CORRUPT, "a bad row");
                                });
        return new ChunkAccess.Version(digest, broken, () -> true);
    }

    /**
     * Without this, coverage of a version of a terabyte would take longer than any client waits.
     */
    @Test
    void coverageOfAnAbsentChunkDoesNotReadTheManifest() {
        v1.with(lake, "a", 10);
        ChunkRef chunk = new ChunkRef(0, v1.chunk(0), v1.length(0), v1.length(0));

        assertThat(chunks.complete(withoutRows(v1.digest()), chunk)).isFalse();
    }

    private static List<Path> openFiles() throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> descriptors =
                Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                if (Files.isSymbolicLink(descriptor)) {
                    files.add(Files.readSymbolicLink(descriptor));
                }
            }
        }
        return files;
    }

    @Test
    void aSecondReadDoesNotAskTheLake() {
        v1.with(lake, "a", 100_000);
        open(v1, 0, 0, 100).chunk().close();
        lake.takeReads();

        ChunkAccess.Present present = open(v1, 0, 0, v1.length(0));

        assertThat(present.source()).isEqualTo(Source.CACHE);
        assertBytes(v1, present);
        assertThat(lake.takeReads()).isEmpty();
    }

    @Test
    void aColdReadFetchesOnlyTheChunksPartOfALargeObject() {
        v1.with(lake, "small", 10).with(lake, "large", 20 * MIB);
        int first = ChunkId.CHUNK_BYTES - 4096;

        assertBytes(v1, open(v1, 1, 0, v1.length(1)));

        assertThat(lake.takeReads())
                .containsExactly("large[%d, %d)".formatted(first, first + ChunkId.CHUNK_BYTES));
    }

    @Test
    void requestedBytesAreReadableBeforeTheRestOfTheChunkArrives() throws Exception {
        chunks = access(Peers.none(), Duration.ofMinutes(1), 1);
        v1.with(lake, "large", 20 * MIB);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger requests = new AtomicInteger();
        lake.beforeEachRead(
                () -> {
                    if (requests.incrementAndGet() > 1) {
                        awaitQuietly(goOn);
                    }
                });

        open(v1, 0, 3 * MIB, 3 * MIB + 100).chunk().close();

        assertThat(chunks.fillsUnderWay()).isEqualTo(1);
        assertThat(ahead.told).containsExactly("missed 0 to " + 20 * MIB);
        goOn.countDown();
        assertBytes(v1, open(v1, 0, 0, v1.length(0)));
        assertThat(lake.takeReads())
                .containsExactlyInAnyOrder(
                        "large[%d, %d)".formatted(3 * MIB, 4 * MIB),
                        "large[%d, %d)".formatted(0, 3 * MIB),
                        "large[%d, %d)".formatted(4 * MIB, 8 * MIB));
        assertThat(taken).containsEntry(v1.digest(), 8L * MIB);
    }

    @Test
    void anObjectWithinOneChunkIsReadWithASingleRequest() {
        v1.with(lake, "a", 2 * MIB).with(lake, "b", 3 * MIB).with(lake, "c", 2 * MIB);

        open(v1, 0, 0, 100).chunk().close();
        chunks.awaitFills(pack -> true);

        assertThat(lake.takeReads())
                .containsExactlyInAnyOrder(
                        "a[0, %d)".formatted(2 * MIB),
                        "b[0, %d)".formatted(3 * MIB),
                        "c[0, %d)".formatted(2 * MIB));
        assertThat(ahead.told).isEmpty();
    }

    @Test
    void theRestOfAChunkIsFetchedWhileAReaderWaitsForItsFirstPiece() throws Exception {
        v1.with(lake, "large", 20 * MIB);
        CountDownLatch asked = new CountDownLatch(3);
        lake.beforeEachRead(
                () -> {
                    asked.countDown();
                    awaitQuietly(asked);
                });

        assertTimeoutPreemptively(
                Duration.ofSeconds(20), () -> open(v1, 0, 3 * MIB, 3 * MIB + 100).chunk().close());

        chunks.awaitFills(pack -> true);
        assertThat(lake.takeReads()).hasSize(3);
    }

    @Test
    void aReaderDoesNotFailWhenTheRestOfItsChunkFails() {
        v1.with(lake, "a", 5_000).with(lake, "b", 3 * MIB);
        lake.fail("b", ErrorCode.LAKE_UNAVAILABLE);
        int at = (int) v1.segment("b").packOffset();

        open(v1, 0, 0, 5_000).chunk().close();
        chunks.awaitFills(pack -> true);

        assertThat(taken).isEqualTo(Map.of(v1.digest(), 5_000L));
        assertFails(ErrorCode.LAKE_UNAVAILABLE, () -> open(v1, 0, at, at + 1));
        lake.mend("b");
        assertBytes(v1, open(v1, 0, 0, v1.length(0)));
        assertThat(taken).isEqualTo(Map.of(v1.digest(), 5_000L + 3 * MIB));
    }

    @Test
    void aReaderFailsWhenItsPieceFailsAlthoughTheRestArrives() {
        v1.with(lake, "a", 5_000).with(lake, "b", 3 * MIB);
        lake.fail("a", ErrorCode.LAKE_UNAVAILABLE);
        int at = (int) v1.segment("b").packOffset();

        assertFails(ErrorCode.LAKE_UNAVAILABLE, () -> open(v1, 0, 0, 1));
        lake.mend("a");

        open(v1, 0, at, at + 1).chunk().close();
        assertBytes(v1, open(v1, 0, 0, v1.length(0)));
    }

    @Test
    void onlyTheFirstReadOfAChunkFilledAheadRequestsMore() {
        v1.with(lake, "large", 20 * MIB);

        chunks.fillAhead(v1.version(), v1.chunk(1), v1.length(1));
        open(v1, 1, 0, 100).chunk().close();
        open(v1, 1, 0, 100).chunk().close();
        chunks.fill(v1.version(), v1.chunk(0), v1.length(0));
        open(v1, 0, 0, 100).chunk().close();

        assertThat(ahead.told).containsExactly("reached 1 to " + 20 * MIB);
    }

    /** Without this, one miss in a warm region would request the whole rest of the file. */
    @Test
    void aReadOfAChunkThatWasAlreadyCompleteRequestsNoFillAhead() {
        v1.with(lake, "large", 20 * MIB);
        chunks.fill(v1.version(), v1.chunk(1), v1.length(1));

        chunks.fillAhead(v1.version(), v1.chunk(1), v1.length(1));
        open(v1, 1, 0, 100).chunk().close();

        assertThat(ahead.told).isEmpty();
    }

    @Test
    void fillAheadStopsAtTheEndOfTheFile() {
        v1.with(lake, "large", 9 * MIB).with(lake, "next", 9 * MIB);

        chunks.fillAhead(v1.version(), v1.chunk(1), v1.length(1));
        open(v1, 1, 0, 100).chunk().close();

        assertThat(ahead.told).isEmpty();
    }

    @Test
    void aReadStopsAskingALakeThatFails() {
        chunks = access(Peers.none(), Duration.ofMinutes(1), 1);
        v1.with(lake, "large", 20 * MIB);
        lake.fail("large", ErrorCode.LAKE_UNAVAILABLE);

        assertFails(ErrorCode.LAKE_UNAVAILABLE, () -> open(v1, 0, 0, 100));

        assertThat(lake.takeReads()).hasSize(1);
    }

    @Test
    void manyReadersOfOneColdChunkCauseOneReadPerObject() throws Exception {
        for (int i = 0; i < 30; i++) {
            v1.with(lake, "object-%02d".formatted(i), 5_000);
        }
        List<Future<?>> readers = new ArrayList<>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 100; i++) {
                readers.add(threads.submit(() -> assertBytes(v1, open(v1, 0, 0, v1.length(0)))));
            }
        }
        for (Future<?> reader : readers) {
            reader.get();
        }

        assertThat(lake.takeReads()).hasSize(30).doesNotHaveDuplicates();
    }

    @Test
    void aChangedObjectDoesNotAffectItsNeighbours() {
        v1.with(lake, "a", 5_000).with(lake, "changed", 5_000).with(lake, "c", 5_000);
        lake.fail("changed", ErrorCode.LAKE_OBJECT_CHANGED);
        int changedAt = (int) v1.segment("changed").packOffset();
        int neighbourAt = (int) v1.segment("c").packOffset();

        open(v1, 0, 0, 5_000).chunk().close();
        open(v1, 0, neighbourAt, neighbourAt + 5_000).chunk().close();

        for (int insistence = 0; insistence < 3; insistence++) {
            assertFails(ErrorCode.LAKE_OBJECT_CHANGED, () -> open(v1, 0, changedAt, changedAt + 1));
        }
        assertThat(lake.takeReads())
                .as("one request for each object")
                .containsExactly("a[0, 5000)", "c[0, 5000)", "changed[0, 5000)");
    }

    @Test
    void aPrewarmRetriesAChangedObjectAndMakesItReadableAgain() {
        v1.with(lake, "a", 5_000);
        lake.fail("a", ErrorCode.LAKE_OBJECT_CHANGED);
        assertFails(ErrorCode.LAKE_OBJECT_CHANGED, () -> open(v1, 0, 0, 1));
        assertFails(
                ErrorCode.LAKE_OBJECT_CHANGED,
                () -> chunks.fill(v1.version(), v1.chunk(0), v1.length(0)));
        assertThat(lake.takeReads()).containsExactly("a[0, 5000)", "a[0, 5000)");
        lake.mend("a");

        chunks.fill(v1.version(), v1.chunk(0), v1.length(0));

        assertBytes(v1, open(v1, 0, 0, v1.length(0)));
    }

    @Test
    void aReadRetriesAChangedObjectAfterTheRememberedFailureExpires() {
        chunks = access(Peers.none(), Duration.ofNanos(1));
        v1.with(lake, "a", 10);
        lake.fail("a", ErrorCode.LAKE_OBJECT_CHANGED);
        assertFails(ErrorCode.LAKE_OBJECT_CHANGED, () -> open(v1, 0, 0, 10));
        lake.mend("a");

        assertBytes(v1, open(v1, 0, 0, v1.length(0)));
    }

    @Test
    void aFailedFillKeepsTheObjectsItAlreadyFetched() {
        chunks = access(Peers.none(), Duration.ofMinutes(1), 1);
        v1.with(lake, "a", 5_000).with(lake, "b", 5_000).with(lake, "c", 5_000);
        lake.fail("b", ErrorCode.LAKE_UNAVAILABLE);

        assertFails(
                ErrorCode.LAKE_UNAVAILABLE,
                () -> chunks.fill(v1.version(), v1.chunk(0), v1.length(0)));
        assertThat(lake.takeReads()).containsExactly("a[0, 5000)", "b[0, 5000)");
        lake.mend("b");

        FillAnswer answer = chunks.fill(v1.version(), v1.chunk(0), v1.length(0));

        assertThat(answer).isEqualTo(new FillAnswer(15_000, 10_000, 0, 0));
        assertThat(lake.takeReads()).containsExactly("b[0, 5000)", "c[0, 5000)");
        assertBytes(v1, open(v1, 0, 0, v1.length(0)));
    }

    @Test
    void aFillFetchesOnlyTheMissingObjectsOfASharedChunk() {
        v1.with(lake, "shared", 8_192).with(lake, "old", 8_192);
        OnePack v2 = new OnePack("2").with("shared", 8_192).gap(8_192);
        assertThat(chunks.fill(v2.version(), v2.chunk(0), v1.length(0)).bytesFromLake())
                .isEqualTo(8_192);
        lake.takeReads();

        FillAnswer answer = chunks.fill(v1.version(), v1.chunk(0), v1.length(0));

        assertThat(answer).isEqualTo(new FillAnswer(16_384, 8_192, 0, 0));
        assertThat(lake.takeReads()).containsExactly("old[0, 8192)");
        assertBytes(v1, open(v1, 0, 0, v1.length(0)));
    }

    @Test
    void bytesFromTheLakeAreCountedOnceForAllWaitingCallers() throws Exception {
        v1.with(lake, "a", 5_000);
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        lake.beforeEachRead(
                () -> {
                    reading.countDown();
                    awaitQuietly(goOn);
                });
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> reader = threads.submit(() -> open(v1, 0, 0, 10).chunk().close());
            reading.await();
            List<Future<FillAnswer>> prewarms = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                prewarms.add(
                        threads.submit(() -> chunks.fill(v1.version(), v1.chunk(0), v1.length(0))));
            }
            for (Future<FillAnswer> prewarm : prewarms) {
                assertThat(prewarm.isDone()).isFalse();
            }
            goOn.countDown();
            reader.get();
            for (Future<FillAnswer> prewarm : prewarms) {
                assertThat(prewarm.get()).isEqualTo(new FillAnswer(5_000, 0, 0, 0));
            }
        }
        assertThat(taken).isEqualTo(Map.of(v1.digest(), 5_000L));
        assertThat(writtenWhenTold).as("chunks stored when the account was called").isZero();
    }

    @Test
    void aFillAsksOtherWorkersBeforeTheLake() {
        v1.with(lake, "a", 100_000).with(lake, "b", 5_000);
        AtomicInteger asked = new AtomicInteger();
        chunks =
                access(
                        (manifest, chunk, from, target) -> {
                            asked.incrementAndGet();
                            byte[] all = packBytes(v1);
                            target.put(all, from, target.remaining());
                            return true;
                        });

        FillAnswer answer = chunks.fill(v1.version(), v1.chunk(0), v1.length(0));

        assertThat(answer).isEqualTo(new FillAnswer(105_000, 0, 105_000, 0));
        assertThat(asked).hasValue(1);
        assertThat(lake.takeReads()).isEmpty();
        assertThat(taken).isEmpty();
        assertBytes(v1, open(v1, 0, 0, v1.length(0)));
    }

    @Test
    void aFillDiscardsTheBytesOfAWorkerThatFailed() {
        v1.with(lake, "a", 5_000).with(lake, "b", 5_000);
        chunks =
                access(
                        (manifest, chunk, from, target) -> {
                            while (target.hasRemaining()) {
                                target.put((byte) 0xEE);
                            }
                            return false;
                        });

        assertBytes(v1, open(v1, 0, 0, v1.length(0)));
    }

    @Test
    void aFillDoesNotKeepOldBytesOfAReusedBuffer() {
        v1.with(lake, "large", 8 * MIB).with(lake, "a", 5_000).with(lake, "b", 5_000);

        assertBytes(v1, open(v1, 0, 0, v1.length(0)));
        assertBytes(v1, open(v1, 1, 0, v1.length(1)));
    }

    @Test
    void aFillAsksSiblingRegionsAfterItsOwnWorkersAndBeforeTheLake() {
        v1.with(lake, "a", 100_000).with(lake, "b", 5_000);
        List<String> asked = new ArrayList<>();
        chunks =
                access(
                        (manifest, chunk, from, target) -> {
                            asked.add("peers");
                            return false;
                        },
                        (manifest, chunk, from, target, urgency) -> {
                            asked.add("siblings");
                            target.put(packBytes(v1), from, target.remaining());
                            return Optional.of(OTHER);
                        });

        FillAnswer answer = chunks.fill(v1.version(), v1.chunk(0), v1.length(0));

        assertThat(answer).isEqualTo(new FillAnswer(105_000, 0, 0, 105_000));
        assertThat(asked).containsExactly("peers", "siblings");
        assertThat(lake.takeReads()).isEmpty();
        assertThat(taken).isEmpty();
        assertThat(keptFromSiblings).hasValue(105_000);
        assertThat(cameFromSiblings.get()).isBetween(105_000L, (long) v1.length(0));
        assertBytes(v1, open(v1, 0, 0, v1.length(0)));
    }

    @Test
    void aReadReportsASiblingRegionAsItsSource() {
        v1.with(lake, "a", 100_000);
        chunks =
                access(
                        Peers.none(),
                        (manifest, chunk, from, target, urgency) -> {
                            assertThat(urgency.demanded()).isTrue();
                            target.put(packBytes(v1), from, target.remaining());
                            return Optional.of(OTHER);
                        });

        ChunkAccess.Present present = open(v1, 0, 10, 20);

        assertThat(present.source()).isEqualTo(Source.SIBLING);
        assertBytes(v1, present);
    }

    @Test
    void aFillDiscardsTheBytesOfASiblingRegionThatFailed() {
        v1.with(lake, "a", 5_000).with(lake, "b", 5_000);
        chunks =
                access(
                        Peers.none(),
                        (manifest, chunk, from, target, urgency) -> {
                            while (target.hasRemaining()) {
                                target.put((byte) 0xEE);
                            }
                            return Optional.empty();
                        });

        assertBytes(v1, open(v1, 0, 0, v1.length(0)));
        assertThat(lake.takeReads()).hasSize(2);
        assertThat(cameFromSiblings).hasValue(0);
    }

    @Test
    void concurrentFillsOfAChunkAskASiblingRegionOnce() throws Exception {
        v1.with(lake, "a", 100_000);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        chunks =
                access(
                        Peers.none(),
                        (manifest, chunk, from, target, urgency) -> {
                            asked.incrementAndGet();
                            awaitQuietly(goOn);
                            target.put(packBytes(v1), from, target.remaining());
                            return Optional.of(OTHER);
                        });
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<FillAnswer>> fills = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                fills.add(
                        threads.submit(() -> chunks.fill(v1.version(), v1.chunk(0), v1.length(0))));
            }
            goOn.countDown();
            long sum = 0;
            for (Future<FillAnswer> fill : fills) {
                sum += fill.get().bytesFromSiblings();
            }
            assertThat(sum).isEqualTo(100_000);
        }
        assertThat(asked).hasValue(1);
        assertThat(lake.takeReads()).isEmpty();
    }

    @Test
    void aVersionThatIsBeingEvictedIsReadFromDiskButNotFilled() {
        v1.with(lake, "a", 5_000).with(lake, "b", 9 * MIB);
        AtomicBoolean mayFill = new AtomicBoolean(true);
        ChunkAccess.Version version = new ChunkAccess.Version(v1.digest(), v1, mayFill::get);
        chunks.fill(version, v1.chunk(0), v1.length(0));
        mayFill.set(false);
        lake.takeReads();

        chunks.open(version, v1.chunk(0), v1.length(0), 0, 5_000).chunk().close();
        assertFails(
                ErrorCode.EVICTING,
                () -> chunks.open(version, v1.chunk(1), v1.length(1), 0, 5_000));
        assertThat(lake.takeReads()).isEmpty();
    }

    @Test
    void aQueuedFillFetchesNothingIfItsVersionIsEvictedMeanwhile() {
        v1.with(lake, "a", 5_000);
        AtomicInteger asked = new AtomicInteger();
        ChunkAccess.Version version =
                new ChunkAccess.Version(v1.digest(), v1, () -> asked.incrementAndGet() == 1);

        assertFails(ErrorCode.EVICTING, () -> chunks.fill(version, v1.chunk(0), v1.length(0)));

        assertThat(asked).hasValue(2);
        assertThat(lake.takeReads()).isEmpty();
    }

    @Test
    void aFillFailsWhenProtectedChunksTakeTheWholeStore() {
        store.close();
        store = ChunkStore.open(List.of(directory), new StoreLimits(20L * MIB, 1_000), _ -> true);
        chunks = access(Peers.none());
        v1.with(lake, "large", 40 * MIB);
        chunks.fill(v1.version(), v1.chunk(0), v1.length(0));
        chunks.fill(v1.version(), v1.chunk(1), v1.length(1));

        assertFails(
                ErrorCode.CAPACITY_EXCEEDED,
                () -> chunks.fill(v1.version(), v1.chunk(2), v1.length(2)));
        assertThat(open(v1, 0, 0, 100).source()).isEqualTo(Source.CACHE);
    }

    @Test
    void aFillFetchesNothingIfItsChunkIsCompleteWhenItStarts() {
        v1.with(lake, "a", 5_000);
        ChunkAccess another = access(Peers.none());
        ChunkAccess.Version version =
                new ChunkAccess.Version(
                        v1.digest(),
                        v1,
                        () -> {
                            another.fill(v1.version(), v1.chunk(0), v1.length(0));
                            return true;
                        });

        assertThat(chunks.fill(version, v1.chunk(0), v1.length(0)))
                .isEqualTo(new FillAnswer(5_000, 0, 0, 0));
        assertThat(lake.takeReads()).hasSize(1);
    }

    @Test
    void verifyRepairsADamagedChunk() throws Exception {
        v1.with(lake, "a", 100_000);
        assertThat(chunks.verify(v1.version(), v1.chunk(0), v1.length(0)))
                .isEqualTo(VerifyAnswer.Verdict.ABSENT);
        chunks.fill(v1.version(), v1.chunk(0), v1.length(0));
        assertThat(chunks.verify(v1.version(), v1.chunk(0), v1.length(0)))
                .isEqualTo(VerifyAnswer.Verdict.INTACT);
        Path file;
        try (var chunk = store.find(v1.chunk(0)).orElseThrow()) {
            file = chunk.path();
        }
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(80_000);
            int is = bytes.read();
            bytes.seek(80_000);
            bytes.write(is ^ 1);
        }

        assertThat(chunks.verify(v1.version(), v1.chunk(0), v1.length(0)))
                .isEqualTo(VerifyAnswer.Verdict.REPAIRED);
        assertBytes(v1, open(v1, 0, 0, v1.length(0)));
    }

    @Test
    void awaitFillsWaitsForRunningFills() throws Exception {
        v1.with(lake, "a", 5_000);
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        lake.beforeEachRead(
                () -> {
                    reading.countDown();
                    awaitQuietly(goOn);
                });
        Thread reader = Thread.startVirtualThread(() -> open(v1, 0, 0, 10).chunk().close());
        reading.await();
        Thread waiter = Thread.startVirtualThread(() -> chunks.awaitFills(pack -> true));

        assertThat(waiter.join(Duration.ofMillis(50))).isFalse();
        goOn.countDown();

        assertThat(waiter.join(Duration.ofSeconds(20))).isTrue();
        reader.join();
        assertThat(chunks.fillsUnderWay()).isZero();
    }

    @Test
    void fillsOfOwnChunksDoNotWaitForFillsAtOtherWorkers() throws Exception {
        CountDownLatch othersAnswer = new CountDownLatch(1);
        CountDownLatch waiting = new CountDownLatch(1);
        v1.with(lake, "a", ChunkId.CHUNK_BYTES);
        for (int i = 1; i < 5; i++) {
            v1.with(lake, "chunk " + i, ChunkId.CHUNK_BYTES);
        }
        chunks =
                access(
                        new Peers() {
                            @Override
                            public boolean fetch(
                                    Digest manifest, ChunkId chunk, int from, ByteBuffer target) {
                                if (othersOwn(chunk)) {
                                    waiting.countDown();
                                    assertDoesNotThrow(() -> othersAnswer.await());
                                }
                                return false;
                            }

                            @Override
                            public boolean othersOwn(ChunkId chunk) {
                                return chunk.index() > 0;
                            }
                        });
        try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor();
                AutoCloseable _ = othersAnswer::countDown) {
            for (int i = 1; i < 5; i++) {
                int index = i;
                readers.execute(() -> open(v1, index, 0, 1).chunk().close());
            }
            waiting.await();
            assertTimeoutPreemptively(
                    Duration.ofSeconds(20), () -> open(v1, 0, 0, 1).chunk().close());
        }
    }

    private ChunkAccess access(Peers peers) {
        return access(peers, Duration.ofMinutes(1));
    }

    private ChunkAccess access(Peers peers, Duration changedMemory) {
        return access(peers, changedMemory, 16);
    }

    private ChunkAccess access(Peers peers, Siblings siblings) {
        return access(peers, siblings, Duration.ofMinutes(1), 16);
    }

    private ChunkAccess access(Peers peers, Duration changedMemory, int parallel) {
        return access(peers, Siblings.none(), changedMemory, parallel);
    }

    private ChunkAccess access(
            Peers peers, Siblings siblings, Duration changedMemory, int parallel) {
        return new ChunkAccess(
                store,
                peers,
                siblings,
                lake,
                new LakePace(100_000),
                account(),
                new FillLimits(2, 100, 64, parallel, Duration.ofSeconds(30), changedMemory, 100),
                new SilentObserver(),
                () -> false,
                ahead);
    }

    /** Records calls and fills nothing. */
    private static final class NotedAhead implements ReadAhead {
        final List<String> told = new CopyOnWriteArrayList<>();
        private final Set<ChunkId> unread = ConcurrentHashMap.newKeySet();
        volatile boolean failing;

        @Override
        public void missed(Digest manifest, ChunkId chunk, long fileEnd) {
            told.add("missed %d to %d".formatted(chunk.index(), fileEnd));
        }

        @Override
        public void reached(Digest manifest, ChunkId chunk, long fileEnd) {
            if (failing) {
                throw new IllegalStateException("no hint");
            }
            told.add("reached %d to %d".formatted(chunk.index(), fileEnd));
        }

        @Override
        public void filledAhead(ChunkId chunk) {
            unread.add(chunk);
        }

        @Override
        public boolean firstRead(ChunkId chunk) {
            return unread.remove(chunk);
        }
    }

    private FillAccount account() {
        return new FillAccount() {
            @Override
            public ReadMeter lakeReads(Digest manifest) {
                return new ReadMeter() {
                    @Override
                    public void asking(long bytes) {
                        lakeRequests.incrementAndGet();
                    }

                    @Override
                    public void answered(long bytes, long came) {
                        cameFromLake.addAndGet(came);
                    }

                    @Override
                    public void notAsked(long bytes) {
                        lakeRequests.decrementAndGet();
                    }
                };
            }

            @Override
            public void took(Digest manifest, long bytes) {
                writtenWhenTold = store.stats().written();
                taken.merge(manifest, bytes, (had, more) -> had + more);
            }

            @Override
            public void tookFromPeer(Digest manifest, long bytes) {
                cameFromPeers.addAndGet(bytes);
            }

            @Override
            public void tookFromSibling(Digest manifest, Sibling sibling, long bytes, long kept) {
                assertThat(sibling).isEqualTo(OTHER);
                cameFromSiblings.addAndGet(bytes);
                keptFromSiblings.addAndGet(kept);
            }
        };
    }

    private ChunkAccess.Present open(OnePack version, int chunk, int from, int to) {
        return chunks.open(
                version.version(), version.chunk(chunk), version.length(chunk), from, to);
    }

    private void assertBytes(OnePack version, ChunkAccess.Present present) {
        try (var chunk = present.chunk()) {
            ByteBuffer bytes = ByteBuffer.allocate(chunk.length());
            chunk.readVerified(0, bytes);
            byte[] expected = new byte[chunk.length()];
            System.arraycopy(
                    packBytes(version), (int) chunk.id().start(), expected, 0, expected.length);
            assertThat(bytes.array()).isEqualTo(expected);
        }
    }

    private static byte[] packBytes(OnePack version) {
        byte[] all = new byte[(int) version.packBytes()];
        version.segments(OnePack.PACK, 0, all.length)
                .forEach(
                        segment -> {
                            byte[] bytes = new byte[(int) segment.size()];
                            new Random(segment.key().hashCode()).nextBytes(bytes);
                            System.arraycopy(
                                    bytes, 0, all, (int) segment.packOffset(), bytes.length);
                        });
        return all;
    }

    private static void assertFails(ErrorCode code, Runnable action) {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(
                        ForebayException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
