package dev.forebay.fuse.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.manifest.Node;
import dev.forebay.manifest.Pack;
import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.PackId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PackReaderTest {

    private static final int MIB = 1 << 20;
    private static final PackId PACK = PackId.parse("a".repeat(64));
    private static final Digest MANIFEST = new Digest("b".repeat(64));

    private record Range(long from, long to) {}

    private final byte[] pack = new byte[40 * MIB + 8192];
    private final List<Range> fetched = Collections.synchronizedList(new ArrayList<>());

    /** An object that is gone from the lake: ranges that touch it fail. */
    private volatile Range changed = new Range(-1, -1);

    private volatile boolean down;

    private volatile Consumer<Range> beforeRead = _ -> {};

    /** The range that the node reports to have, and the ranges announced to it. */
    private volatile Range onTheNode = new Range(-1, -1);

    private final List<Range> announced = Collections.synchronizedList(new ArrayList<>());
    private PackReader reader;

    @BeforeEach
    void start() {
        new Random(1).nextBytes(pack);
        reader = reader(32 * MIB);
    }

    @AfterEach
    void stop() {
        reader.close();
    }

    private final AtomicInteger uses = new AtomicInteger();

    private PackReader reader(long memory) {
        PackSource source =
                (_, _, from, to, target) -> {
                    fetched.add(new Range(from, to));
                    beforeRead.accept(new Range(from, to));
                    if (down) {
                        throw new ForebayException(ErrorCode.UNAVAILABLE, "down");
                    }
                    if (from < changed.to && to > changed.from) {
                        throw new ForebayException(ErrorCode.LAKE_OBJECT_CHANGED, "changed");
                    }
                    target.put(pack, (int) from, (int) (to - from));
                };
        NodeBytes node =
                new NodeBytes() {
                    @Override
                    public boolean has(Digest manifest, PackId id, long from, long to) {
                        return from >= onTheNode.from && to <= onTheNode.to;
                    }

                    @Override
                    public void use(Digest manifest) {
                        uses.incrementAndGet();
                    }

                    @Override
                    public void willRead(PackId id, long from, long to) {
                        announced.add(new Range(from, to));
                    }

                    @Override
                    public Duration timeout() {
                        return Duration.ofMinutes(1);
                    }
                };
        return new PackReader(
                source, Optional.of(node), PackReaderConfig.ofMemory(memory), ReadMeter.NONE);
    }

    private static Node.File file(long offset, long size) {
        return new Node.File(2, "f", 0, size, "f", "e", null, PACK, offset);
    }

    private void reads(Node.File file, long offset, int length) {
        ByteBuffer target = ByteBuffer.allocate(length);
        reader.read(MANIFEST, pack.length, file, offset, target);
        assertThat(target.hasRemaining()).isFalse();
        int from = (int) (file.packOffset() + offset);
        assertThat(Arrays.equals(target.array(), Arrays.copyOfRange(pack, from, from + length)))
                .isTrue();
    }

    private List<Range> fetched() {
        synchronized (fetched) {
            return List.copyOf(fetched);
        }
    }

    /** Waits for a range, because read-ahead is asynchronous. */
    private void awaitFetched(Range range) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!fetched().contains(range)) {
            assertThat(System.nanoTime()).as("%s of %s", range, fetched()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    /** Otherwise a version whose files came with another read would never be prewarmed. */
    @Test
    void aReadFromMemoryCountsAsAUseOfItsVersion() {
        reads(file(0, 100), 0, 100);
        int before = uses.get();
        fetched.clear();

        reads(file(4096, 5000), 0, 5000);

        assertThat(fetched()).doesNotContain(new Range(0, MIB));
        assertThat(uses).hasValue(before + 1);
    }

    @Test
    void aReadOfASmallFileFetchesItsNeighbours() {
        reads(file(0, 100), 0, 100);
        reads(file(4096, 5000), 0, 5000);
        assertThat(fetched()).contains(new Range(0, MIB));
        assertThat(fetched().stream().filter(range -> range.from == 0)).hasSize(1);
    }

    @Test
    void aReadOfLocalBytesDoesNotWaitForTheRestOfTheirPiece() throws Exception {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Range piece = new Range(0, MIB);
        beforeRead =
                range -> {
                    if (range.equals(piece)) {
                        end.join();
                    }
                };
        try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> waiting = readers.submit(() -> reads(file(0, 100), 0, 100));
            awaitFetched(piece);
            onTheNode = new Range(4096, 8192);
            try {
                readers.submit(() -> reads(file(4096, 4096), 0, 4096)).get(20, TimeUnit.SECONDS);
                assertThat(waiting.isDone()).isFalse();
            } finally {
                end.complete(null);
            }
            waiting.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void readsAcrossPiecesAndToTheEndOfThePack() {
        reads(file(0, pack.length), MIB - 1000, 2000);
        reads(file(40L * MIB, 8192), 0, 8192);
        reads(file(39L * MIB + 4096, MIB + 4096), 0, MIB + 4096);
    }

    @Test
    void aScatteredReadOfALargeFileFetchesJustItsBytes() {
        reads(file(0, pack.length), 20L * MIB + 5, 4096);
        assertThat(fetched()).containsExactly(new Range(20L * MIB + 5, 20L * MIB + 5 + 4096));
    }

    @Test
    void sequentialReadsFetchEveryPieceOnce() {
        Node.File file = file(0, pack.length);
        for (long at = 0; at < pack.length; at += 128 << 10) {
            reads(file, at, (int) Math.min(128 << 10, pack.length - at));
        }
        assertThat(fetched()).hasSize(41).doesNotHaveDuplicates();
    }

    /** At some time during sequential reads, bytes far after the current file are in memory. */
    @Test
    void readsAheadAcrossFiles() {
        int size = 100_000;
        long step = 102_400;
        boolean ahead = false;
        for (long at = 0; !ahead && at + step < pack.length; at += step) {
            reads(file(at, size), 0, size);
            long far = at + step + MIB;
            ahead = fetched().stream().anyMatch(range -> range.from >= far);
        }
        assertThat(ahead).isTrue();
    }

    /** 64 KiB is the request size of an image's mount if its pages are single ones. */
    @ParameterizedTest
    @ValueSource(ints = {64 << 10, 128 << 10})
    void localBytesAreReadDirectlyAndAnnouncedAhead(int length) {
        onTheNode = new Range(0, 8L * MIB);
        Node.File file = file(0, pack.length);
        for (long at = 0; at < 7L * MIB; at += length) {
            reads(file, at, length);
        }
        assertThat(fetched()).contains(new Range(length, 2L * length));
        assertThat(announced)
                .as("once each")
                .doesNotHaveDuplicates()
                .anyMatch(range -> range.to == 8L * MIB);
        assertThat(fetched().stream().filter(range -> range.to <= 8L * MIB))
                .as("local bytes are not read in whole pieces")
                .allMatch(range -> range.to - range.from == length);
        awaitFetched(new Range(8L * MIB, 9L * MIB));
    }

    @Test
    void readsOfSmallLocalFilesFetchNoNeighbours() {
        onTheNode = new Range(0, pack.length);
        reads(file(20L * MIB, 100_000), 0, 100_000);
        reads(file(4L * MIB, 100_000), 0, 100_000);
        assertThat(fetched())
                .containsExactly(
                        new Range(20L * MIB, 20L * MIB + 100_000),
                        new Range(4L * MIB, 4L * MIB + 100_000));
        assertThat(reader.memoryBytes()).isZero();
    }

    @Test
    void manyReadersShareOneFetch() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> reads = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                reads.add(threads.submit(() -> reads(file(5L * MIB, 4096), 0, 4096)));
            }
            for (Future<?> read : reads) {
                read.get();
            }
        }
        assertThat(fetched().stream().filter(range -> range.from == 5L * MIB)).hasSize(1);
    }

    @Test
    void memoryIsBoundedAndBytesAreRightUnderPressure() throws Exception {
        reader.close();
        reader = reader(4 * MIB);
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<?>> reads = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                Random random = new Random(thread);
                reads.add(
                        threads.submit(
                                () -> {
                                    for (int i = 0; i < 300; i++) {
                                        int length = 1 + random.nextInt(2 * MIB);
                                        long from = random.nextInt(pack.length - length);
                                        reads(file(from, length), 0, length);
                                    }
                                }));
            }
            for (Future<?> read : reads) {
                read.get();
            }
        }
        assertThat(reader.memoryBytes()).isEqualTo(4L * MIB);
    }

    @Test
    void aChangedObjectFailsOnlyItsOwnReads() {
        changed = new Range(8192, 12288);
        reads(file(0, 8192), 0, 8192);
        reads(file(12288, 4096), 0, 4096);
        assertThatThrownBy(() -> reads(file(8192, 4096), 0, 4096))
                .isInstanceOf(ForebayException.class)
                .hasMessageContaining("changed");
        long wholePieces =
                fetched().stream().filter(range -> range.equals(new Range(0, MIB))).count();
        assertThat(wholePieces).isEqualTo(1);
    }

    @Test
    void aFailureIsNotRemembered() {
        down = true;
        assertThatThrownBy(() -> reads(file(0, 100), 0, 100)).hasMessageContaining("down");
        down = false;
        reads(file(0, 100), 0, 100);
    }

    @Test
    void aVersionThatLeavesIsServedOnlyFromMemory() {
        reader.close();
        MountedSource source =
                new MountedSource(
                        (_, _, from, to, target) -> {
                            fetched.add(new Range(from, to));
                            target.put(pack, (int) from, (int) (to - from));
                        });
        reader =
                new PackReader(
                        source,
                        Optional.empty(),
                        PackReaderConfig.ofMemory(32 * MIB),
                        ReadMeter.NONE);
        Mount mount = mount(MANIFEST, Mount.State.CACHED);
        source.update(List.of(mount, mount(new Digest("c".repeat(64)), Mount.State.CACHED)));
        reads(file(0, 100), 0, 100);
        fetched.clear();

        for (Mount.State left : List.of(Mount.State.EVICTING, Mount.State.CACHED)) {
            source.update(
                    left == Mount.State.EVICTING
                            ? List.of(mount(MANIFEST, left))
                            : List.of(mount(new Digest("c".repeat(64)), left)));
            reads(file(0, 100), 0, 100);
            assertThatThrownBy(() -> reads(file(8L * MIB, 100), 0, 100))
                    .isInstanceOfSatisfying(
                            ForebayException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.EVICTING));
        }
        assertThat(fetched()).isEmpty();
    }

    private static Mount mount(Digest digest, Mount.State state) {
        return new Mount(
                DatasetVersion.parse("a/b@" + digest.hex().charAt(0)),
                new ManifestRef("s3://m/x", digest, 1, 1, 1),
                state);
    }

    @Test
    void everyStrictReadGoesToTheSource() {
        PackSource source =
                (_, _, from, to, target) -> {
                    fetched.add(new Range(from, to));
                    target.put(pack, (int) from, (int) (to - from));
                };
        try (PackReader strict =
                new PackReader(
                        source,
                        Optional.empty(),
                        PackReaderConfig.ofMemory(32 * MIB).strict(true),
                        ReadMeter.NONE)) {
            for (int i = 0; i < 2; i++) {
                ByteBuffer target = ByteBuffer.allocate(3 * MIB);
                strict.read(MANIFEST, new Pack(PACK, pack.length), MIB, target);
                assertThat(target.array()).isEqualTo(Arrays.copyOfRange(pack, MIB, 4 * MIB));
            }
            assertThat(fetched).containsExactly(new Range(MIB, 4 * MIB), new Range(MIB, 4 * MIB));
            assertThat(strict.memoryBytes()).isZero();
        }
    }

    @Test
    void areHereFindsBytesOnTheNodeAndInMemory() {
        Node.File file = file(0, pack.length);
        assertThat(reader.areHere(MANIFEST, file, 3L * MIB - 10, 20)).isFalse();
        onTheNode = new Range(2L * MIB, 3L * MIB);
        assertThat(reader.areHere(MANIFEST, file, 2L * MIB, MIB)).isTrue();
        assertThat(reader.areHere(MANIFEST, file, 3L * MIB - 10, 20)).isFalse();
        reads(file(3L * MIB, 100), 0, 100);
        assertThat(reader.areHere(MANIFEST, file, 3L * MIB - 10, 20)).as("in memory").isTrue();
    }
}
