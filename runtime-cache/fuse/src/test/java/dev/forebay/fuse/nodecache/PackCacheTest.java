package dev.forebay.fuse.nodecache;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.forebay.linux.Descriptor;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.linux.SystemCallException;
import dev.forebay.manifest.Pack;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PackCacheTest {

    /** Where a file's blocks are scattered, ext4 also counts the blocks that list them. */
    private static final long OF_FILE_SYSTEM = 64 << 10;

    private static final int MIB = 1 << 20;

    @TempDir private Path directory;
    private final TestPack pack = new TestPack(5 * PackUnits.PAGES_OF_CHUNK + 3, 7);
    private PackCache cache;

    @BeforeEach
    void open() {
        cache = open(1L << 30);
    }

    private PackCache open(long capacity) {
        return open(capacity, true);
    }

    private PackCache open(long capacity, boolean strict) {
        return PackCache.open(directory, capacity, strict, pack.source(), pack);
    }

    @AfterEach
    void close() {
        cache.close();
    }

    private void reopen(long capacity) {
        cache.close();
        cache = open(capacity);
    }

    private Path data() {
        return directory.resolve(TestPack.ID + ".pack");
    }

    private Path map() {
        return directory.resolve(TestPack.ID + ".map");
    }

    private static long allocated(Path file) throws Exception {
        Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        String blocks = new String(stat.getInputStream().readAllBytes(), US_ASCII).strip();
        return Long.parseLong(blocks) * 512;
    }

    @Test
    void aRangeIsFetchedOnceInWholeBlocksAndKeptOverARestart() throws Exception {
        pack.assertReads(cache, TestPack.ALL, 3 * MIB + 100, 5000, false);
        assertThat(pack.asked).containsExactly(new TestPack.Range(3 * MIB, 3 * MIB + (64 << 10)));
        pack.asked.clear();
        pack.assertReads(cache, TestPack.ALL, 3 * MIB + 100, 5000, true);
        reopen(1L << 30);
        pack.assertReads(cache, TestPack.ALL, 3 * MIB, 64 << 10, true);
        assertThat(pack.asked).isEmpty();
        assertThat(cache.counters().hitBytes()).isEqualTo(64 << 10);
        assertThat(Files.size(data())).isEqualTo(pack.bytes.length);
        assertThat(allocated(data())).isEqualTo(64 << 10);
    }

    @Test
    void theFileHoldsThePackByteForByte() throws Exception {
        pack.assertReadsAll(cache, TestPack.SOME);
        pack.assertReadsAll(cache, TestPack.ALL);
        pack.takeAskedBytes();
        pack.assertReadsAll(cache, TestPack.ALL);
        pack.assertReadsAll(cache, TestPack.SOME);
        assertThat(pack.takeAskedBytes()).isZero();
        assertThat(Files.readAllBytes(data())).isEqualTo(pack.bytes);
        assertThat(cache.usedBytes()).isEqualTo(pack.bytes.length + 6L * PackMap.RECORD_STRIDE);
    }

    @Test
    void pagesThatOneVersionLacksAreFetchedForAnother() throws Exception {
        pack.assertReadsAll(cache, TestPack.SOME);
        pack.takeAskedBytes();
        pack.assertReadsAll(cache, TestPack.SOME);
        assertThat(pack.takeAskedBytes()).isZero();
        reopen(1L << 30);
        pack.assertReadsAll(cache, TestPack.ALL);
        assertThat(Files.readAllBytes(data())).isEqualTo(pack.bytes);
    }

    @Test
    void manyReadersShareOneFetch() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> reads = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                reads.add(
                        threads.submit(
                                () -> pack.assertReads(cache, TestPack.ALL, MIB, MIB, true)));
            }
            for (Future<?> read : reads) {
                read.get();
            }
        }
        assertThat(pack.takeAskedBytes()).isEqualTo(MIB);
    }

    @Test
    void aFailureReachesAllWaitingReadersAndIsNotRemembered() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch mayFail = new CountDownLatch(1);
        PackCache failing =
                PackCache.open(
                        directory.resolve("other"),
                        1L << 30,
                        true,
                        TestPack.remote(
                                (_, _, _, _, _) -> {
                                    asked.countDown();
                                    await(mayFail);
                                    throw new ForebayException(ErrorCode.UNAVAILABLE, "down");
                                }),
                        pack);
        try (failing;
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> first = threads.submit(() -> readPage(failing));
            await(asked);
            Future<?> second = threads.submit(() -> readPage(failing));
            mayFail.countDown();
            for (Future<?> read : List.of(first, second)) {
                assertThatThrownBy(read::get)
                        .isInstanceOf(ExecutionException.class)
                        .hasMessageContaining("down");
            }
        }
        pack.down = true;
        assertThatThrownBy(() -> readPage(cache)).hasMessageContaining("down");
        pack.down = false;
        readPage(cache);
    }

    /**
     * The source may lack an object of one version, and have another version's object beside it.
     */
    @Test
    void aFetchThatFailsForOneVersionIsRetriedForAnother() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch mayFail = new CountDownLatch(1);
        PackCache shared =
                PackCache.open(
                        directory.resolve("other"),
                        1L << 30,
                        true,
                        TestPack.remote(
                                (manifest, id, from, to, target) -> {
                                    if (manifest.equals(TestPack.SOME)) {
                                        asked.countDown();
                                        await(mayFail);
                                        throw new ForebayException(ErrorCode.EVICTING, "leaving");
                                    }
                                    pack.read(manifest, id, from, to, target);
                                }),
                        pack);
        try (shared;
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> leaving =
                    threads.submit(
                            () ->
                                    shared.read(
                                            TestPack.SOME,
                                            TestPack.ID,
                                            0,
                                            MIB,
                                            ByteBuffer.allocate(MIB)));
            await(asked);
            AtomicReference<Thread> other = new AtomicReference<>();
            Future<?> staying =
                    threads.submit(
                            () -> {
                                other.set(Thread.currentThread());
                                pack.assertReads(shared, TestPack.ALL, 0, MIB, false);
                            });
            while (other.get() == null || other.get().getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            mayFail.countDown();
            assertThatThrownBy(leaving::get).hasMessageContaining("leaving");
            staying.get();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void readPage(PackCache cache) {
        cache.read(TestPack.ALL, TestPack.ID, 0, 4096, ByteBuffer.allocate(4096));
    }

    @Test
    void aChangedObjectFailsOnlyItsOwnReads() {
        pack.changed = new TestPack.Range(8192, 12288);
        pack.assertReads(cache, TestPack.ALL, 0, 8192, true);
        pack.assertReads(cache, TestPack.ALL, 12288, 4096, true);
        assertThatThrownBy(() -> pack.assertReads(cache, TestPack.ALL, 8192, 4096, true))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_OBJECT_CHANGED));
    }

    @Test
    void aBlockWithAFlippedBitIsFetchedAgainAndCounted() throws Exception {
        pack.assertReadsAll(cache, TestPack.ALL);
        pack.takeAskedBytes();
        flip(data(), 9 * MIB + 77);
        pack.assertReads(cache, TestPack.ALL, 9 * MIB, 4096, true);
        assertThat(pack.takeAskedBytes()).isEqualTo(64 << 10);
        assertThat(cache.counters().damagedBlocks()).isEqualTo(1);
        assertThat(Files.readAllBytes(data())).isEqualTo(pack.bytes);
    }

    @Test
    void onlyStrictReadsVerifyAPartOfAVerifiedBlock() throws Exception {
        pack.assertReadsAll(cache, TestPack.ALL);
        cache.close();
        cache = open(1L << 30, false);
        flip(data(), 9 * MIB + 77);
        ByteBuffer page = ByteBuffer.allocate(4096);
        cache.read(TestPack.ALL, TestPack.ID, 9 * MIB, 9 * MIB + 4096, page);
        assertThat(page.get(77)).isNotEqualTo(pack.bytes[9 * MIB + 77]);
        assertThat(cache.counters().damagedBlocks()).isZero();

        pack.assertReads(cache, TestPack.ALL, 9 * MIB, 64 << 10, true);
        assertThat(cache.counters().damagedBlocks()).isEqualTo(1);
    }

    /**
     * Checksums of complete blocks are read too; verified chunks are not read again for partial
     * reads.
     */
    @ParameterizedTest
    @CsvSource({"8192, 1", "1000000, 2"})
    void readsOfVerifiedBlocksTakeFewSystemCalls(int length, int expectedCalls) throws Exception {
        cache.close();
        cache = open(1L << 30, false);
        pack.assertReadsAll(cache, TestPack.ALL);
        int from = 2 * MIB + 4096;
        // Class loading reads too, so it must come first.
        pack.assertReads(cache, TestPack.ALL, from, length, true);
        ByteBuffer target = ByteBuffer.allocateDirect(length);
        long before = readCalls();
        long own = readCalls() - before;
        before = readCalls();
        cache.read(TestPack.ALL, TestPack.ID, from, from + length, target);
        assertThat(readCalls() - before - own).isEqualTo(expectedCalls);
    }

    /** Returns the number of read calls of this thread, including those of this method. */
    private static long readCalls() throws IOException {
        return Files.readAllLines(Path.of("/proc/thread-self/io")).stream()
                .filter(line -> line.startsWith("syscr: "))
                .mapToLong(line -> Long.parseLong(line.substring("syscr: ".length())))
                .sum();
    }

    /** Existing views may show damage that was repaired on disk. */
    @Test
    void aSuccessorKnowsOfRepairedDamageUntilViewsAreRenewed() throws Exception {
        pack.assertReadsAll(cache, TestPack.ALL);
        findDamage(9 * MIB);
        assertThat(Files.readAllBytes(data())).isEqualTo(pack.bytes);
        reopen(1L << 30);
        assertHarmed(1);

        Map<PackId, Long> harmed = cache.harmed();
        findDamage(10 * MIB);
        cache.viewsAreRenewed(harmed);
        reopen(1L << 30);
        assertHarmed(1);

        cache.viewsAreRenewed(cache.harmed());
        reopen(1L << 30);
        assertHarmed(0);
    }

    private void findDamage(int at) throws IOException {
        flip(data(), at + 77);
        pack.assertReads(cache, TestPack.ALL, at, 4096, true);
    }

    private void assertHarmed(long expected) {
        Set<PackId> packs = Set.of(TestPack.ID);
        assertThat(cache.timesFoundWrong(packs)).isEqualTo(expected);
        assertThat(cache.haveLostSome(packs)).isEqualTo(expected > 0);
        assertThat(cache.harmed()).hasSize(expected > 0 ? 1 : 0);
    }

    /** Existing views lie over the old files, which are never verified again. */
    @Test
    void aSuccessorKnowsThatThePackFilesWereReplaced() throws Exception {
        pack.assertReadsAll(cache, TestPack.ALL);
        flip(map(), 20);
        reopen(1L << 30);
        assertThat(cache.haveLostSome(Set.of(TestPack.ID))).isTrue();
        pack.assertReadsAll(cache, TestPack.ALL);
        assertHarmed(1);
        reopen(1L << 30);
        assertHarmed(1);
        cache.viewsAreRenewed(cache.harmed());

        try (RandomAccessFile file = new RandomAccessFile(data().toFile(), "rw")) {
            file.setLength(MIB);
        }
        reopen(1L << 30);
        pack.assertReadsAll(cache, TestPack.ALL);
        assertHarmed(1);
        cache.viewsAreRenewed(cache.harmed());

        Files.delete(data());
        Files.delete(map());
        reopen(1L << 30);
        pack.assertReadsAll(cache, TestPack.ALL);
        assertThat(cache.haveLostSome(Set.of(TestPack.ID))).isTrue();
        reopen(1L << 30);
        assertHarmed(0);
    }

    /** The process ends before anything is fetched again. */
    @Test
    void aSuccessorKnowsOfDamageThatEmptiedThePack() throws Exception {
        pack.assertReads(cache, TestPack.ALL, 0, 64 << 10, true);
        pack.down = true;
        assertThatThrownBy(() -> findDamage(0)).hasMessageContaining("down");
        pack.down = false;
        assertThat(cache.usedBytes()).isZero();
        reopen(1L << 30);
        assertHarmed(1);
        pack.assertReadsAll(cache, TestPack.ALL);
    }

    @Test
    void oneReadRepairsAllDamagedBlocksInItsRange() throws IOException {
        pack.assertReads(cache, TestPack.ALL, 0, MIB, true);
        for (int at = 0; at < MIB; at += 64 << 10) {
            flip(data(), at + 77);
        }

        pack.assertReads(cache, TestPack.ALL, 0, MIB, true);

        assertThat(cache.counters().damagedBlocks()).isEqualTo(16);
        pack.down = true;
        pack.assertReads(cache, TestPack.ALL, 0, MIB, true);
    }

    private static void flip(Path file, long at) throws IOException {
        try (RandomAccessFile raw = new RandomAccessFile(file.toFile(), "rw")) {
            raw.seek(at);
            int old = raw.read();
            raw.seek(at);
            raw.write(old ^ 4);
        }
    }

    @Test
    void aPackWithADamagedMapIsDiscardedAndFetchedAgain() throws Exception {
        pack.assertReadsAll(cache, TestPack.ALL);
        pack.takeAskedBytes();
        cache.close();
        flip(map(), 20);
        cache = open(1L << 30);
        assertThat(data()).doesNotExist();
        assertThat(cache.usedBytes()).isZero();
        pack.assertReadsAll(cache, TestPack.ALL);
        assertThat(pack.takeAskedBytes()).isEqualTo(pack.bytes.length);
    }

    @Test
    void theCacheStaysWithinItsCapacityAndFreesDiskSpace() throws Exception {
        long capacity = 2L * (PackUnits.CHUNK + PackMap.RECORD_STRIDE);
        reopen(capacity);
        for (int round = 0; round < 3; round++) {
            pack.assertReadsAll(cache, TestPack.ALL);
            assertThat(cache.usedBytes()).isBetween(1L, capacity);
            assertThat(allocated(data())).isLessThanOrEqualTo(capacity + OF_FILE_SYSTEM);
        }
        assertThat(cache.counters().evictedBytes()).isPositive();
        reopen(capacity / 2);
        assertThat(cache.usedBytes()).isLessThanOrEqualTo(capacity / 2);
        assertThat(allocated(data())).isLessThanOrEqualTo(capacity / 2 + OF_FILE_SYSTEM);
    }

    /** A victim is sometimes busy for a moment. Nearly all fetched bytes are kept. */
    @Test
    void aFullCacheKeepsWhatConcurrentReadersFetch() throws Exception {
        reopen(3L * (PackUnits.CHUNK + PackMap.RECORD_STRIDE));
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<?>> reads = new ArrayList<>();
            for (int reader = 0; reader < 4; reader++) {
                Random random = new Random(reader);
                reads.add(
                        threads.submit(
                                () -> {
                                    for (int i = 0; i < 200; i++) {
                                        int at = random.nextInt(pack.bytes.length / MIB) * MIB;
                                        pack.assertReads(cache, TestPack.ALL, at, MIB, true);
                                    }
                                }));
            }
            for (Future<?> read : reads) {
                read.get();
            }
        }
        long fetched = pack.takeAskedBytes() / MIB;
        assertThat(cache.counters().evictedBytes()).isPositive();
        assertThat(cache.counters().refused()).isLessThan(fetched / 10);
    }

    @Test
    void aScanDoesNotEvictBytesThatWereReadTwice() {
        reopen(3L * (PackUnits.CHUNK + PackMap.RECORD_STRIDE));
        for (int epoch = 0; epoch < 2; epoch++) {
            for (int at = 0; at < PackUnits.CHUNK; at += MIB) {
                pack.assertReads(cache, TestPack.ALL, at, MIB, true);
            }
        }
        for (int at = PackUnits.CHUNK; at < 5 * PackUnits.CHUNK; at += MIB) {
            pack.assertReads(cache, TestPack.ALL, at, MIB, true);
        }
        pack.takeAskedBytes();
        pack.assertReads(cache, TestPack.ALL, 0, MIB, true);
        assertThat(pack.takeAskedBytes()).isZero();
    }

    @Test
    void aCacheWithoutSpaceFetchesBytesOnceAndDoesNotStoreThem() {
        reopen(4096);
        pack.assertReads(cache, TestPack.ALL, 0, MIB, true);
        assertThat(pack.takeAskedBytes()).isEqualTo(MIB);
        assertThat(cache.counters().refused()).isEqualTo(1);
        assertThat(cache.usedBytes()).isZero();
    }

    @Test
    void aClosedCacheReadsFromTheSource() {
        cache.close();
        pack.assertReads(cache, TestPack.ALL, 0, MIB, true);
        assertThat(pack.takeAskedBytes()).isEqualTo(MIB);
    }

    @Test
    void theSweepFreesPagesThatNoMountedVersionHas() throws Exception {
        pack.assertReadsAll(cache, TestPack.ALL);
        pack.takeAskedBytes();
        cache.keepOnly(() -> Set.of(TestPack.SOME), _ -> Set.of(TestPack.ID));
        long live = 0;
        for (int at = 0; at < pack.bytes.length; at += PackUnits.PAGE) {
            live += pack.isLive(TestPack.SOME, at) ? PackUnits.PAGE : 0;
        }
        // The file system needs this for the list of the many parts.
        assertThat(allocated(data())).isBetween(live, live + (64 << 10));
        assertThat(cache.usedBytes()).isBetween(live, live + 6L * PackMap.RECORD_STRIDE);
        assertThat(cache.counters().deadBytes()).isGreaterThanOrEqualTo(pack.bytes.length - live);
        reopen(1L << 30);
        pack.assertReadsAll(cache, TestPack.SOME);
        assertThat(pack.takeAskedBytes()).isZero();
        pack.assertReadsAll(cache, TestPack.ALL);
        assertThat(cache.counters().damagedBlocks()).isZero();
        cache.keepOnly(Set::of, _ -> Set.of());
        assertThat(cache.usedBytes()).isZero();
        assertThat(directory).isEmptyDirectory();
        assertThat(openBelow(directory)).isZero();
        pack.assertReadsAll(cache, TestPack.ALL);
        assertThat(cache.counters().diskErrors()).isZero();
        assertThat(data()).exists();
    }

    /** The version may have found all its pages here, and rely on them. */
    @Test
    void aVersionThatIsMountedDuringASweepKeepsItsPages() {
        pack.assertReadsAll(cache, TestPack.ALL);
        pack.takeAskedBytes();
        AtomicInteger looks = new AtomicInteger();
        Supplier<Set<Digest>> table =
                () -> looks.getAndIncrement() == 0 ? Set.of() : Set.of(TestPack.ALL);
        assertThat(cache.keepOnly(table, _ -> Set.of(TestPack.ID))).isFalse();
        pack.assertReadsAll(cache, TestPack.ALL);
        assertThat(pack.takeAskedBytes()).isZero();
    }

    /**
     * Otherwise a thread that was told that all pages are here would continue with closed files.
     */
    @Test
    void aDiscardedPackCountsAsALoss() {
        List<Pack> packs = List.of(new Pack(TestPack.ID, pack.bytes.length));
        HeldPacks held = cache.hold(TestPack.ALL, packs);
        held.close();
        long before = PackFile.losses(held.packs());
        assertThat(cache.keepOnly(Set::of, _ -> Set.of())).isTrue();
        assertThat(data()).doesNotExist();
        assertThat(PackFile.losses(held.packs())).isGreaterThan(before);
    }

    @Test
    void aHeldPackStaysEvenIfItIsEmpty() {
        List<Pack> packs = List.of(new Pack(TestPack.ID, pack.bytes.length));
        try (HeldPacks _ = cache.hold(TestPack.ALL, packs)) {
            assertThat(cache.keepOnly(Set::of, _ -> Set.of())).isTrue();
            assertThat(data()).exists();
        }
        assertThat(cache.keepOnly(Set::of, _ -> Set.of())).isTrue();
        assertThat(data()).doesNotExist();
    }

    /** Otherwise the next reader would wait forever for a pack that is open. */
    @Test
    void aPackWhoseFilesCannotBeDeletedIsCreatedAgain() throws Exception {
        pack.assertReadsAll(cache, TestPack.ALL);
        Files.delete(map());
        Path undeletable = Files.createDirectories(map().resolve("undeletable"));
        assertThat(cache.keepOnly(Set::of, _ -> Set.of())).isTrue();
        assertThat(cache.counters().diskErrors()).isEqualTo(1);
        assertThat(openBelow(directory)).isZero();
        Files.delete(undeletable);
        pack.assertReadsAll(cache, TestPack.ALL);
        pack.takeAskedBytes();
        pack.assertReadsAll(cache, TestPack.ALL);
        assertThat(pack.takeAskedBytes()).isZero();
        assertThat(data()).exists();
    }

    /** Returns how many files below the directory this process has open. */
    private static long openBelow(Path directory) throws IOException {
        long count = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path each : all) {
                try {
                    if (Files.readSymbolicLink(each).startsWith(directory)) {
                        count++;
                    }
                } catch (NoSuchFileException closedMeanwhile) {
                    // The descriptor was not one of these files.
                }
            }
        }
        return count;
    }

    /** A lack of descriptors says nothing about the files on disk. */
    @Test
    void packsStayIfTooFewDescriptorsPreventOpening() throws Exception {
        pack.assertReads(cache, TestPack.ALL, MIB, 5000, false);
        // The reopening also loads classes, which takes descriptors too.
        reopen(1L << 30);
        pack.assertReads(cache, TestPack.ALL, MIB, 5000, true);
        assertThat(ErrorNumber.isFullDisk(new IOException())).isFalse();
        cache.close();
        String limit = limitDescriptors("1024");
        List<Descriptor> all = new ArrayList<>();
        Throwable failure;
        try {
            takeAll(all);
            // Frees descriptors for the directory and one of two files.
            all.removeLast().close();
            all.removeLast().close();
            failure = catchThrowable(() -> open(1L << 30));
        } finally {
            all.forEach(Descriptor::close);
            limitDescriptors(limit);
        }
        assertThat(failure)
                .isInstanceOf(ForebayException.class)
                .rootCause()
                .hasMessageContaining("Too many open files");
        assertThat(data()).exists();
        cache = open(1L << 30);
        pack.asked.clear();
        pack.assertReads(cache, TestPack.ALL, MIB, 5000, true);
        assertThat(pack.asked).isEmpty();
        assertThat(cache.counters().diskErrors()).isZero();
    }

    private static void takeAll(List<Descriptor> descriptors) {
        try {
            while (true) {
                descriptors.add(Descriptor.open(Path.of("/dev/null"), Descriptor.O_RDONLY));
            }
        } catch (SystemCallException e) {
            assertThat(e.errno()).isEqualTo(ErrorNumber.EMFILE);
        }
    }

    /**
     * Sets the maximum number of descriptors of this process.
     *
     * @return the previous value
     */
    private static String limitDescriptors(String soft) throws Exception {
        String process = Long.toString(ProcessHandle.current().pid());
        String before = run("prlimit", "--pid", process, "--nofile", "-o", "SOFT", "--noheadings");
        run("prlimit", "--pid", process, "--nofile=" + soft + ":");
        return before;
    }

    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), US_ASCII).strip();
        assertThat(process.waitFor()).as(printed).isZero();
        return printed;
    }
}
