package dev.forebay.chunkstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.chunkstore.file.ChunkName;
import dev.forebay.chunkstore.file.ChunkRange;
import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.chunkstore.file.ValidBlocks;
import dev.forebay.devstack.fault.LoopDisk;
import dev.forebay.linux.DiskFile;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests disks that are full, die or disappear, with ext4 on loop devices. Needs the right to mount.
 */
@Execution(ExecutionMode.CONCURRENT)
class DisksTest {

    private static final PackId PACK = PackId.parse("ab".repeat(32));
    private static final int LENGTH = 1 << 20;
    private static final DiskLimits PATIENT_FOR_A_WHILE = new DiskLimits(2, Duration.ofSeconds(5));
    private static final StoreLimits ROOMY = new StoreLimits(1L << 30, 1_000);

    @TempDir private Path directory;
    private final List<LoopDisk> disks = new ArrayList<>();
    private final AtomicBoolean pinned = new AtomicBoolean();

    /** The ways in which a disk can end. */
    enum End {
        DEAD {
            @Override
            void befall(LoopDisk disk) throws Exception {
                disk.die();
            }
        },
        READ_ONLY {
            @Override
            void befall(LoopDisk disk) throws Exception {
                disk.makeReadOnly();
            }
        },
        GONE {
            @Override
            void befall(LoopDisk disk) throws Exception {
                disk.vanish();
            }
        },
        HANGS {
            @Override
            void befall(LoopDisk disk) throws Exception {
                disk.hang();
            }
        };

        abstract void befall(LoopDisk disk) throws Exception;
    }

    @AfterEach
    void unmount() {
        disks.forEach(LoopDisk::close);
    }

    private LoopDisk disk(int mebibytes) throws Exception {
        var disk =
                LoopDisk.mountIfAllowed(directory, "disk" + disks.size(), (long) mebibytes << 20);
        assumeTrue(disk.isPresent(), "cannot mount an ext4 here");
        disks.add(disk.get());
        return disk.get();
    }

    private ChunkStore open() {
        return ChunkStore.open(
                disks.stream().map(LoopDisk::path).toList(),
                ROOMY,
                PATIENT_FOR_A_WHILE,
                _ -> pinned.get());
    }

    private static ByteBuffer bytes(int index) {
        byte[] bytes = new byte[LENGTH];
        Arrays.fill(bytes, (byte) index);
        return ByteBuffer.wrap(bytes);
    }

    private static ChunkId chunk(int index) {
        return new ChunkId(PACK, index);
    }

    private static void put(ChunkStore store, int index) {
        store.put(chunk(index), bytes(index), ValidBlocks.all(LENGTH));
    }

    private static boolean reads(ChunkStore store, int index) {
        try (StoredChunk chunk = store.find(chunk(index)).orElse(null)) {
            if (chunk == null) {
                return false;
            }
            ByteBuffer read = ByteBuffer.allocate(LENGTH);
            chunk.readVerified(0, read);
            assertThat(read.flip()).isEqualTo(bytes(index));
            return true;
        }
    }

    @Test
    void verifyDetectsDamageOnDiskBehindThePageCache() throws Exception {
        LoopDisk disk = disk(8);
        try (ChunkStore store = open()) {
            put(store, 1);
            put(store, 2);
            try (StoredChunk chunk = store.find(chunk(1)).orElseThrow()) {
                disk.rot(chunk.path());
            }
            // A reader gets the bytes from the page cache, so it finds no damage.
            assertThat(reads(store, 1)).isTrue();

            assertThat(store.verify(chunk(1))).isEqualTo(ChunkStore.Verdict.DROPPED);
            assertThat(store.verify(chunk(2))).isEqualTo(ChunkStore.Verdict.INTACT);
            assertThat(store.stats().damaged()).isEqualTo(1);
            assertThat(reads(store, 1)).isFalse();
        }
    }

    @Test
    void aStoreOnAFullDiskEvictsAndRefusesChunksIfAllArePinned() throws Exception {
        Path disk = disk(8).path();
        try (ChunkStore store = open()) {
            for (int i = 0; i < 12; i++) {
                put(store, i);
            }
            assertThat(store.stats().chunks()).isBetween(3L, 8L);
            assertThat(store.holds(chunk(11), 0, LENGTH)).isTrue();
            assertThat(store.stats().diskFull()).isPositive();

            pinned.set(true);
            long used = store.stats().usedBytes();
            assertThatThrownBy(() -> IntStream.range(50, 60).forEach(i -> put(store, i)))
                    .isInstanceOfSatisfying(
                            ForebayException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.CAPACITY_EXCEEDED));
            assertThat(store.stats().usedBytes()).isBetween(used, used + 8L * LENGTH);
            assertThat(store.stats().diskErrors()).isZero();
            assertThat(store.stats().failedDisks()).isZero();
            assertThat(disk.resolve("incoming")).isEmptyDirectory();
            for (ChunkId id : store.chunks(PACK)) {
                assertThat(store.verify(id)).isEqualTo(ChunkStore.Verdict.INTACT);
            }
        }
    }

    @Test
    void anExtensionOnAFullDiskMovesTheChunkToAnotherDisk() throws Exception {
        LoopDisk small = disk(8);
        disk(96);
        ValidBlocks first = ValidBlocks.of(LENGTH, List.of(new ChunkRange(0, LENGTH / 2)));
        ValidBlocks second = ValidBlocks.of(LENGTH, List.of(new ChunkRange(LENGTH / 2, LENGTH)));
        pinned.set(true);
        try (ChunkStore store = open()) {
            int index = 0;
            while (files(small).isEmpty()) {
                store.put(chunk(++index), bytes(index), first);
            }
            Files.write(small.path().resolve("of-others"), new byte[(int) small.usableBytes()]);

            store.put(chunk(index), bytes(index), second);

            assertThat(files(small)).isEmpty();
            assertThat(store.holds(chunk(index), 0, LENGTH)).isTrue();
            assertThat(reads(store, index)).isTrue();
        }
    }

    @Test
    void anUnreadableChunkAtStartDoesNotFailItsDisk() throws Exception {
        LoopDisk disk = disk(96);
        try (ChunkStore store = open()) {
            IntStream.range(0, 10).forEach(i -> put(store, i));
        }
        disk.spoil(files(disk).getFirst());

        try (ChunkStore store = open()) {
            assertThat(IntStream.range(0, 10).filter(i -> reads(store, i)).count()).isEqualTo(9);
            assertThat(store.stats().diskErrors()).isPositive();
            assertThat(store.stats().failedDisks()).isZero();
        }
    }

    private static List<Path> files(LoopDisk disk) throws Exception {
        try (Stream<Path> all = Files.walk(disk.path().resolve("chunks"))) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    /** No caller waits longer than it takes to detect that a disk hangs. */
    @ParameterizedTest
    @EnumSource
    void theStoreRemovesAFailedDiskAndContinuesWithTheOthers(End end) throws Exception {
        LoopDisk doomed = disk(96);
        disk(96);
        disk(96);
        try (ChunkStore store = open()) {
            IntStream.range(0, 30).forEach(i -> put(store, i));
            long capacity = store.stats().capacityBytes();
            List<Integer> lost =
                    IntStream.range(0, 30)
                            .filter(i -> Files.exists(fileIn(doomed.path(), i)))
                            .boxed()
                            .toList();
            assertThat(lost).hasSizeBetween(3, 20);

            List<LostDisk> told = new CopyOnWriteArrayList<>();
            store.onLostDisk(told::add);
            end.befall(doomed);
            IntStream.range(30, 60).forEach(i -> put(store, i));
            assertThat(store.stats().failedDisks()).isEqualTo(1);
            assertThat(store.stats().disks()).isEqualTo(2);
            assertThat(store.stats().capacityBytes()).isEqualTo(capacity / 3 * 2);
            assertThat(told)
                    .singleElement()
                    .satisfies(
                            disk -> {
                                assertThat(disk.directory()).isEqualTo(doomed.path());
                                assertThat(disk.chunks(PACK)).hasSizeBetween(1, lost.size());
                            });
            for (int i = 0; i < 60; i++) {
                assertThat(reads(store, i)).as("chunk " + i).isEqualTo(!lost.contains(i));
            }
            lost.forEach(i -> put(store, i));
            lost.forEach(i -> assertThat(reads(store, i)).isTrue());
        }
        try (ChunkStore store = open()) {
            assertThat(store.stats().failedDisks()).isEqualTo(end == End.GONE ? 0 : 1);
            for (int i = 0; i < 60; i++) {
                assertThat(reads(store, i)).as("chunk " + i).isTrue();
            }
        }
    }

    @Test
    void aDiskThatReturnsDropsTheChunksOfAbandonedWrites() throws Exception {
        LoopDisk doomed = disk(96);
        disk(96);
        try (ChunkStore store = open()) {
            doomed.hang();
            IntStream.range(0, 10).forEach(i -> put(store, i));
            assertThat(store.stats().failedDisks()).isEqualTo(1);

            returns(store, doomed);

            assertThat(files(doomed)).isEmpty();
            for (int i = 0; i < 10; i++) {
                assertThat(reads(store, i)).isTrue();
            }
        }
    }

    @Test
    void theStoreReusesADiskThatAnswersAgainWithItsChunks() throws Exception {
        LoopDisk only = disk(96);
        try (ChunkStore store = open()) {
            IntStream.range(0, 10).forEach(i -> put(store, i));
            long capacity = store.stats().capacityBytes();
            // Twice, because a disk that is used again is watched as before.
            for (int time = 0; time < 2; time++) {
                int index = 10 + time;
                only.hang();
                assertThatThrownBy(() -> put(store, index))
                        .isInstanceOfSatisfying(
                                ForebayException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
                assertThat(store.stats().capacityBytes()).isZero();
                assertThat(reads(store, 0)).isFalse();

                returns(store, only);

                put(store, index);
                IntStream.rangeClosed(0, index).forEach(i -> assertThat(reads(store, i)).isTrue());
                assertThat(store.stats().capacityBytes()).isEqualTo(capacity);
            }
        }
        try (ChunkStore store = open()) {
            assertThat(store.stats().chunks()).isEqualTo(12);
        }
    }

    @Test
    void theStoreKeepsOneCopyOfAChunkStoredElsewhereDuringAHang() throws Exception {
        LoopDisk doomed = disk(96);
        LoopDisk other = disk(96);
        try (ChunkStore store = open()) {
            IntStream.range(0, 20).forEach(i -> put(store, i));
            List<Integer> lost =
                    IntStream.range(0, 20)
                            .filter(i -> Files.exists(fileIn(doomed.path(), i)))
                            .boxed()
                            .toList();
            assertThat(lost).hasSizeBetween(2, 18);
            ValidBlocks half = ValidBlocks.of(LENGTH, List.of(new ChunkRange(0, LENGTH / 2)));
            doomed.hang();
            // At least one of these chunks belongs on the hanging disk.
            IntStream.range(20, 30).forEach(i -> put(store, i));
            assertThat(store.stats().failedDisks()).isEqualTo(1);
            lost.forEach(i -> assertThat(reads(store, i)).isFalse());
            put(store, lost.getFirst());
            store.put(chunk(lost.getLast()), bytes(lost.getLast()), half);

            returns(store, doomed);

            IntStream.range(0, 30).forEach(i -> assertThat(reads(store, i)).isTrue());
            assertThat(files(doomed).size() + files(other).size()).isEqualTo(30);
            assertThat(fileIn(doomed.path(), lost.getFirst())).doesNotExist();
            assertThat(fileIn(doomed.path(), lost.getLast())).exists();
            assertThat(store.stats().usedBytes()).isEqualTo(30 * ChunkEntry.footprint(LENGTH));
        }
    }

    @Test
    void theStoreDoesNotReuseAHungDiskThatAnswersWithAnError() throws Exception {
        LoopDisk only = disk(96);
        try (ChunkStore store = open()) {
            BlockingQueue<Path> returned = new LinkedBlockingQueue<>();
            store.onReturnedDisk(returned::add);
            put(store, 0);
            only.hang();
            assertThatThrownBy(() -> put(store, 1)).isInstanceOf(ForebayException.class);

            only.die();
            only.goOn();

            assertThat(returned.poll(PATIENT_FOR_A_WHILE.timeout().toSeconds(), TimeUnit.SECONDS))
                    .isNull();
            assertThat(store.stats().failedDisks()).isEqualTo(1);
        }
    }

    /** Ends the hang of a disk, and expects the store to report that it uses the disk again. */
    private static void returns(ChunkStore store, LoopDisk disk) throws Exception {
        BlockingQueue<Path> returned = new LinkedBlockingQueue<>();
        store.onReturnedDisk(returned::add);
        disk.goOn();
        assertThat(returned.poll(20, TimeUnit.SECONDS)).isEqualTo(disk.path());
        assertThat(store.stats().failedDisks()).isZero();
    }

    @Test
    void readersOfAHungDiskGetAnAnswerWhenTheStoreGivesItUp() throws Exception {
        LoopDisk doomed = disk(96);
        disk(96);
        try (ChunkStore store = open()) {
            IntStream.range(0, 20).forEach(i -> put(store, i));
            List<Integer> there =
                    IntStream.range(0, 20)
                            .filter(i -> Files.exists(fileIn(doomed.path(), i)))
                            .boxed()
                            .toList();
            for (int index : there) {
                try (DiskFile file = DiskFile.open(fileIn(doomed.path(), index))) {
                    file.syncData();
                    file.forget(0, DiskFile.TO_THE_END);
                }
            }
            assumeTrue(doomed.hangReads(), "no reads can be made to hang here");

            List<Future<Boolean>> finds = new ArrayList<>();
            try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int index : there) {
                    finds.add(readers.submit(() -> store.find(chunk(index), 0, 1).isPresent()));
                }
            }

            for (Future<Boolean> found : finds) {
                assertThat(found.get()).isFalse();
            }
            assertThat(store.stats().failedDisks()).isEqualTo(1);
            there.forEach(i -> put(store, i));
            there.forEach(i -> assertThat(reads(store, i)).isTrue());
        }
    }

    @Test
    void statsAnswersWhileAnEvictionHangsOnADisk() throws Exception {
        LoopDisk doomed = disk(96);
        StoreLimits full = new StoreLimits(4 * ChunkEntry.footprint(LENGTH), 1_000);
        try (ChunkStore store =
                        ChunkStore.open(
                                List.of(doomed.path()), full, PATIENT_FOR_A_WHILE, _ -> false);
                ExecutorService writer = Executors.newVirtualThreadPerTaskExecutor()) {
            IntStream.range(0, 4).forEach(i -> put(store, i));
            doomed.hang();
            Future<?> put = writer.submit(() -> put(store, 4));
            while (put.state() == Future.State.RUNNING) {
                assertTimeoutPreemptively(Duration.ofSeconds(4), store::stats);
                Thread.sleep(10);
            }
            assertThat(store.stats().failedDisks()).isEqualTo(1);
        }
    }

    private static Path fileIn(Path disk, int index) {
        String pack = PACK.toString();
        return disk.resolve("chunks")
                .resolve(pack.substring(0, 2))
                .resolve(pack)
                .resolve(new ChunkName(index, true, true).toString());
    }

    @Test
    void aStoreWithoutDisksFindsNothingAndRefusesChunks() throws Exception {
        LoopDisk only = disk(96);
        try (ChunkStore store = open()) {
            put(store, 0);
            put(store, 1);
            only.die();
            for (int i = 2; i < 4; i++) {
                int index = i;
                assertThatThrownBy(() -> put(store, index))
                        .isInstanceOfSatisfying(
                                ForebayException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
            }
            assertThat(store.find(chunk(0))).isEmpty();
            assertThat(store.holds(chunk(0), 0, 1)).isFalse();
            assertThat(store.verify(chunk(1))).isEqualTo(ChunkStore.Verdict.ABSENT);
            assertThat(store.stats().diskErrors()).isPositive();
            assertThat(store.stats().disks()).isZero();
            assertThat(store.stats().capacityBytes()).isZero();
            assertThat(store.stats().chunks()).isZero();
        }
        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }

    @Test
    void theStoreFillsOtherDisksWhenOneIsFull() throws Exception {
        disk(8);
        disk(96);
        pinned.set(true);
        try (ChunkStore store = open()) {
            IntStream.range(0, 40).forEach(i -> put(store, i));
            assertThat(store.stats().chunks()).isEqualTo(40);
            assertThat(store.stats().diskFull()).isPositive();
            for (int i = 0; i < 40; i++) {
                assertThat(reads(store, i)).isTrue();
            }
        }
    }
}
