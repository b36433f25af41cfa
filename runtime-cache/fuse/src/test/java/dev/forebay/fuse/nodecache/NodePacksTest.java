package dev.forebay.fuse.nodecache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.devstack.fault.LoopDisk;
import dev.forebay.fuse.TestDataset;
import dev.forebay.fuse.fs.Manifests;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Complete versions, with real manifests. */
class NodePacksTest {

    private static final long RATE = 1L << 40;
    private static final int LARGE = 19_000_000;

    @TempDir private Path directory;
    private final Map<PackId, byte[]> packs = new HashMap<>();
    private final Map<ManifestRef, Path> manifestFiles = new ConcurrentHashMap<>();
    private final AtomicLong refusedManifests = new AtomicLong();
    private final AtomicLong failedFetches = new AtomicLong();
    private final AtomicLong fetchedBytes = new AtomicLong();
    private final BlockingQueue<ManifestRef> complete = new LinkedBlockingQueue<>();
    private final AtomicReference<@Nullable Error> failure = new AtomicReference<>();
    private final Semaphore goesOn = new Semaphore(0);
    private volatile boolean hangs;
    private volatile boolean down;
    private Duration retryPause = Duration.ofMillis(50);

    /** A pack of which only the beginning is available. */
    private volatile @Nullable PackId lost;

    private TestDataset one;
    private TestDataset other;
    private NodePacks nodePacks;

    @BeforeEach
    void open() {
        one = dataset("one/data@v1", 1);
        other = dataset("other/data@v1", 2);
        nodePacks = open(1L << 30, RATE);
    }

    @AfterEach
    void close() {
        nodePacks.close();
    }

    private TestDataset dataset(String version, long seed) {
        return dataset(version, seed, LARGE);
    }

    private TestDataset dataset(String version, long seed, int largest) {
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        objects.put("large-" + seed, TestDataset.bytes(largest, seed));
        for (int i = 0; i < 100; i++) {
            objects.put("small/%d-%d".formatted(seed, i), TestDataset.bytes(i * 97, seed + i));
        }
        TestDataset dataset = TestDataset.write(directory, DatasetVersion.parse(version), objects);
        packs.putAll(dataset.packs());
        manifestFiles.put(dataset.mount().manifest(), dataset.file().path());
        return dataset;
    }

    private NodePacks open(long capacity, long rate) {
        ManifestCache files =
                new ManifestCache(directory.resolve("manifests"), 1L << 30, this::fetchManifest);
        NodePacks opened =
                NodePacks.open(
                        new NodePacksConfig(
                                directory.resolve("packs"),
                                capacity,
                                rate,
                                retryPause,
                                Duration.ofMillis(50),
                                0,
                                Duration.ofHours(1),
                                true),
                        new Manifests(files),
                        TestPack.remote(
                                (_, pack, from, to, target) -> fetch(pack, from, to, target)),
                        this::completed);
        opened.update(List.of(one.mount(), other.mount()));
        return opened;
    }

    private void completed(ManifestRef ref) {
        Error thrown = failure.getAndSet(null);
        if (thrown != null) {
            throw thrown;
        }
        complete.add(ref);
        if (hangs) {
            goesOn.acquireUninterruptibly();
        }
    }

    private void fetchManifest(ManifestRef ref, Path target) {
        Path file = manifestFiles.get(ref);
        if (file == null) {
            refusedManifests.incrementAndGet();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "down");
        }
        try {
            Files.copy(file, target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void fetch(PackId pack, long from, long to, ByteBuffer target) {
        if (down || (pack.equals(lost) && from > 0)) {
            failedFetches.incrementAndGet();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "down");
        }
        fetchedBytes.addAndGet(to - from);
        target.put(packs.get(pack), (int) from, (int) (to - from));
    }

    private void reopen(long capacity) {
        nodePacks.close();
        nodePacks = open(capacity, RATE);
    }

    private static PackId packOf(TestDataset dataset) {
        return dataset.packs().keySet().iterator().next();
    }

    private static byte[] bytesOf(TestDataset dataset) {
        return dataset.packs().values().iterator().next();
    }

    private void reads(TestDataset dataset, int from, int length) {
        PackId pack = packOf(dataset);
        ByteBuffer target = ByteBuffer.allocate(length);
        nodePacks.use(dataset.file().digest());
        nodePacks.read(dataset.file().digest(), pack, from, from + length, target);
        assertThat(target.array())
                .isEqualTo(Arrays.copyOfRange(packs.get(pack), from, from + length));
    }

    private void awaitComplete(TestDataset dataset) throws InterruptedException {
        assertThat(complete.poll(30, TimeUnit.SECONDS)).isEqualTo(dataset.mount().manifest());
    }

    @Test
    void aVersionThatIsReadIsPrewarmedAndCanBeHeld() throws Exception {
        assertThat(nodePacks.hold(one.file().digest())).isEmpty();
        reads(one, 5000, 100);
        awaitComplete(one);
        assertThat(nodePacks.completeVersions()).isEqualTo(1);
        byte[] pack = bytesOf(one);
        assertThat(fetchedBytes).hasValue(pack.length);
        try (HeldPacks held = nodePacks.hold(one.file().digest()).orElseThrow()) {
            assertThat(held.files()).containsOnlyKeys(packOf(one));
            assertThat(held.files().get(packOf(one))).hasBinaryContent(pack);
        }
        down = true;
        reads(one, 0, pack.length);
        assertThat(nodePacks.hold(other.file().digest())).isEmpty();
    }

    @Test
    void aFailedPrewarmIsRetriedAndDoesNotDelayOtherVersions() throws Exception {
        lost = packOf(one);
        reads(one, 0, 100);
        await(() -> failedFetches.get() > 0);
        reads(other, 0, 100);
        awaitComplete(other);
        lost = null;
        await(
                () -> {
                    reads(one, 0, 100);
                    return nodePacks.completeVersions() == 2;
                });
    }

    private static List<Error> errors() {
        return List.of(
                new OutOfMemoryError("as a test wishes"), new InternalError("as a test wishes"));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void anErrorEndsOnlyOnePrewarm(Error error) throws Exception {
        failure.set(error);
        reads(one, 0, 100);
        await(() -> failure.get() == null);
        reads(other, 0, 100);
        awaitComplete(other);
        await(
                () -> {
                    reads(one, 0, 100);
                    return !complete.isEmpty();
                });
        awaitComplete(one);
    }

    @Test
    void heldPacksAreNotEvicted() throws Exception {
        reopen(LARGE * 3L / 2);
        reads(one, 0, 100);
        awaitComplete(one);
        HeldPacks held = nodePacks.hold(one.file().digest()).orElseThrow();
        reads(other, 0, bytesOf(other).length);
        assertThat(held.files().get(packOf(one))).hasBinaryContent(bytesOf(one));
        assertThat(nodePacks.completeVersions()).isEqualTo(1);
        held.close();
        // Retried, because there is space now.
        await(
                () -> {
                    reads(other, 0, 100);
                    return !complete.isEmpty();
                });
        awaitComplete(other);
        assertThat(nodePacks.hold(one.file().digest())).isEmpty();
        assertThat(nodePacks.completeVersions()).isEqualTo(1);
    }

    @Test
    void anEvictedVersionIsPrewarmedAgainWhenItIsRead() throws Exception {
        reopen(LARGE * 3L / 2);
        otherTakesTheSpaceOfOne();
        await(
                () -> {
                    reads(one, 0, 100);
                    return isNextComplete(one);
                });
        nodePacks.hold(one.file().digest()).orElseThrow().close();
    }

    @Test
    void anEvictedVersionDoesNotDisplaceAnotherAtOnce() throws Exception {
        retryPause = Duration.ofHours(1);
        reopen(LARGE * 3L / 2);
        otherTakesTheSpaceOfOne();
        TestDataset third = dataset("third/data@v1", 3, 1000);
        nodePacks.update(List.of(one.mount(), other.mount(), third.mount()));
        reads(one, 0, 100);
        reads(third, 0, 100);
        // Versions are prewarmed in the order of their reads.
        await(
                () -> {
                    ManifestRef next = complete.poll();
                    assertThat(next).isNotEqualTo(one.mount().manifest());
                    return third.mount().manifest().equals(next);
                });
    }

    private void otherTakesTheSpaceOfOne() throws Exception {
        reads(one, 0, 100);
        awaitComplete(one);
        await(
                () -> {
                    // The chunks to evict may be busy, and then the version finds no space.
                    nodePacks.renew(other.file().digest());
                    return isNextComplete(other);
                });
        assertThat(nodePacks.hold(one.file().digest())).isEmpty();
    }

    private boolean isNextComplete(TestDataset dataset) {
        return dataset.mount().manifest().equals(complete.poll());
    }

    @Test
    void aRestartedCacheFetchesOnlyDamagedBlocks() throws Exception {
        reads(one, 0, 100);
        awaitComplete(one);
        // Not settled, so it must be verified.
        reads(other, 0, 100);
        awaitComplete(other);
        nodePacks.close();
        Path data = directory.resolve("packs/" + packOf(one) + ".pack");
        try (RandomAccessFile file = new RandomAccessFile(data.toFile(), "rw")) {
            file.seek(10_000_000);
            file.write(new byte[10]);
        }
        unsettle(one);
        fetchedBytes.set(0);
        nodePacks = open(1L << 30, RATE);
        reads(one, 0, 100);
        awaitComplete(one);
        assertThat(fetchedBytes).hasValue(64 << 10);
        assertThat(data).hasBinaryContent(bytesOf(one));
        assertThat(nodePacks.counters().damagedBlocks()).isEqualTo(1);
    }

    @Test
    void aVersionThatDoesNotFitOrIsNotCachedIsNotPrewarmed() throws Exception {
        reopen(LARGE / 2);
        reads(one, 0, 100);
        reopen(1L << 30);
        Mount warming =
                new Mount(one.mount().version(), one.mount().manifest(), Mount.State.WARMING);
        nodePacks.update(List.of(warming, other.mount()));
        reads(one, 0, 100);
        reads(other, 0, 100);
        awaitComplete(other);
        nodePacks.update(List.of(one.mount(), other.mount()));
        reads(one, 0, 100);
        awaitComplete(one);
    }

    @Test
    void anUnmountedVersionCannotBeHeld() throws Exception {
        reads(one, 0, 100);
        awaitComplete(one);
        nodePacks.update(List.of(other.mount()));
        assertThat(nodePacks.hold(one.file().digest())).isEqualTo(Optional.empty());
    }

    @Test
    void anUnmountedVersionFreesItsSpaceUnlessItIsHeld() throws Exception {
        reads(one, 0, 100);
        awaitComplete(one);
        reads(other, 0, 100);
        awaitComplete(other);
        HeldPacks held = nodePacks.hold(one.file().digest()).orElseThrow();
        long both = nodePacks.usedBytes();
        nodePacks.update(List.of());
        awaitUsed(both / 2);
        assertThat(held.files().get(packOf(one))).hasBinaryContent(bytesOf(one));
        held.close();
        nodePacks.update(List.of());
        awaitUsed(0);
    }

    /** "Rows of a later release": a version may be mounted that this process does not see. */
    @Test
    void theSweepFreesNothingWhileUnknownVersionsMayBeMounted() throws Exception {
        reads(one, 0, 100);
        awaitComplete(one);
        long used = nodePacks.usedBytes();
        nodePacks.keepAll(true);
        nodePacks.update(List.of(other.mount()));
        reads(other, 0, 100);
        awaitComplete(other);
        assertThat(nodePacks.usedBytes()).isEqualTo(2 * used);
        nodePacks.keepAll(false);
        awaitUsed(used);
    }

    @Test
    void theSweepRetriesWhenAManifestIsUnreadable() throws Exception {
        reads(one, 0, 100);
        awaitComplete(one);
        reads(other, 0, 100);
        awaitComplete(other);
        long both = nodePacks.usedBytes();
        TestDataset third = dataset("third/data@v1", 3);
        Path manifest = requireNonNull(manifestFiles.remove(third.mount().manifest()));
        nodePacks.update(List.of(other.mount(), third.mount()));
        await(() -> refusedManifests.get() > 0);
        assertThat(nodePacks.usedBytes()).as("the manifest may need them").isEqualTo(both);
        manifestFiles.put(third.mount().manifest(), manifest);
        awaitUsed(both / 2);
    }

    @Test
    void constantChangesOfTheMountTableDoNotPreventTheSweep() throws Exception {
        reads(one, 0, 100);
        awaitComplete(one);
        TestDataset third = dataset("third/data@v1", 3);
        AtomicBoolean odd = new AtomicBoolean();
        await(
                () -> {
                    odd.set(!odd.get());
                    nodePacks.update(odd.get() ? List.of(third.mount()) : List.of());
                    return nodePacks.usedBytes() == 0;
                });
    }

    /** Simulates the kernel's open files of an image, also after a restart of this process. */
    @Test
    void packsThatAnotherReaderHasOpenAreNotFreed() throws Exception {
        reads(one, 0, 100);
        awaitComplete(one);
        Path file = directory.resolve("packs/" + packOf(one) + ".pack");
        try (InputStream _ = Files.newInputStream(file)) {
            reopen(LARGE * 3L / 2);
            reads(one, 0, 100);
            awaitComplete(one);
            reads(other, 0, bytesOf(other).length);
            assertThat(nodePacks.lacksSpace()).isTrue();
            reopen(LARGE / 2);
            assertThat(nodePacks.lacksSpace()).isTrue();
            nodePacks.update(List.of(other.mount()));
            reads(other, 0, bytesOf(other).length);
            assertThat(file).hasBinaryContent(bytesOf(one));
        }
        awaitUsed(LARGE / 2);
    }

    private void awaitUsed(long bytes) {
        await(() -> nodePacks.usedBytes() <= bytes);
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void thePaceLimitsTheRate() throws Exception {
        ByteRateLimit pace = new ByteRateLimit(10 << 20);
        long before = System.nanoTime();
        for (int i = 0; i < 5; i++) {
            pace.await(1 << 20);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .isBetween(Duration.ofMillis(400), Duration.ofSeconds(10));
    }

    /** Simulates a sync on a disk that hangs. */
    @Test
    void closeDoesNotWaitForAnUninterruptibleThread() throws Exception {
        hangs = true;
        reads(one, 0, 100);
        awaitComplete(one);

        try {
            assertThat(CompletableFuture.runAsync(nodePacks::close))
                    .succeedsWithin(Duration.ofSeconds(30));
        } finally {
            goesOn.release();
        }
    }

    /** The prewarmer is in the call that marks a pack as complete on the device. */
    @Test
    void closeLeavesTheFilesToTheThreadThatSyncsThem() throws Exception {
        nodePacks.close();
        try (LoopDisk disk = disk()) {
            nodePacks = open(1L << 30, RATE);
            reads(one, 0, 100);
            awaitComplete(one);
            nodePacks.close();
            unsettle(one);
            nodePacks = open(1L << 30, RATE);
            disk.hang();
            reads(one, 0, 100);
            await(() -> isIn("prewarm", "markShut"));

            endsThoughItHangs();
            assertThat(isIn("prewarm", "markShut")).isTrue();
            assertThat(isIn("node-cache-end", "settle")).isFalse();

            disk.goOn();
            awaitComplete(one);
        }
    }

    /** No other use of the disk notices that it hangs: only the close itself does. */
    @Test
    void closeDoesNotWaitForAHangingDisk() throws Exception {
        nodePacks.close();
        try (LoopDisk disk = disk()) {
            nodePacks = open(1L << 30, 0);
            reads(one, 0, 100);
            disk.hang();

            endsThoughItHangs();
        }
    }

    private LoopDisk disk() {
        Optional<LoopDisk> mounted = LoopDisk.mountIfAllowed(directory, "packs", 64L << 20);
        assumeTrue(mounted.isPresent(), "cannot mount an ext4 here");
        return mounted.get();
    }

    /** Leaves the pack's map as after a kill. */
    private void unsettle(TestDataset dataset) throws IOException {
        Path map = directory.resolve("packs/" + packOf(dataset) + ".map");
        try (RandomAccessFile mark = new RandomAccessFile(map.toFile(), "rw")) {
            mark.seek(512);
            mark.write(new byte[8]);
        }
    }

    private void endsThoughItHangs() {
        assertThat(CompletableFuture.runAsync(nodePacks::close))
                .succeedsWithin(Duration.ofSeconds(60));
    }

    private static boolean isIn(String thread, String method) {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(each -> each.getKey().getName().equals(thread))
                .flatMap(each -> Arrays.stream(each.getValue()))
                .anyMatch(frame -> frame.getMethodName().equals(method));
    }
}
