package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.chunkstore.NeighbourStore;
import dev.forebay.devstack.fault.LoopDisk;
import dev.forebay.fuse.CheckingReader.Way;
import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.fuse.HeldMountFixture.Seen;
import dev.forebay.fuse.fs.InodeNumbers;
import dev.forebay.fuse.fs.Manifests;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.fs.OperationMeter;
import dev.forebay.fuse.fs.PortableView;
import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.kernel.KernelTransport;
import dev.forebay.fuse.nodecache.NodePacks;
import dev.forebay.fuse.nodecache.NodePacksConfig;
import dev.forebay.fuse.read.LocalChunks;
import dev.forebay.fuse.read.MountedSource;
import dev.forebay.fuse.read.PackReader;
import dev.forebay.fuse.read.PackReaderConfig;
import dev.forebay.fuse.read.ReadMeter;
import dev.forebay.fuse.view.ImageDevices;
import dev.forebay.fuse.view.ImageViews;
import dev.forebay.fuse.view.Images;
import dev.forebay.fuse.view.LocalPacks;
import dev.forebay.fuse.view.MountedPacks;
import dev.forebay.fuse.view.PackFolder;
import dev.forebay.fuse.view.View;
import dev.forebay.image.ImageName;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.cache.DigestScrubber;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.PackId;
import dev.forebay.thread.ScrubLoop;
import dev.forebay.transfer.ReadEvents;
import dev.forebay.transfer.RegionFiles;
import dev.forebay.transfer.RegionFilesConfig;
import dev.forebay.transfer.RegionReader;
import dev.forebay.transfer.RegionReaderConfig;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import dev.forebay.transfer.WorkerSet;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** "Views change under running jobs": on a real mount, over a worker in this process. */
@SuppressWarnings("NullAway.Init") // mounted before each
class ViewChangesFuseIT {

    private static final int CHANGES = Integer.getInteger("forebay.changes", 10);
    private static final long SEED = Long.getLong("forebay.seed", System.nanoTime());

    /** The version that is read fits, and hardly anything beside it. */
    private static final long CAPACITY = 60L << 20;

    private static final int OTHER_BYTES = 40_000_000;

    /** A file that is in one pack. */
    private static final String BIG = "big/0.bin";

    /** A tag of tests during which packs are scrubbed. */
    private static final String SCRUBBED = "scrubbed";

    /** The alignment of objects in their packs. */
    private static final int PAGE = 4096;

    /** A tag of tests in which small reads from the node's disk are not verified. */
    private static final String LENIENT = "lenient";

    /** A tag of tests in which the packs have a disk of their own. */
    private static final String OWN_DISK = "own-disk";

    private static final long OWN_DISK_BYTES = 128L << 20;

    /** The distance of small files at which the kernel does not read several at once. */
    private static final int BETWEEN_SMALL_FILES = 50;

    /**
     * The position in a pack's map of the mark whether the pack is settled, and the mark "OPEN".
     */
    private static final int MARK_OFFSET = 512;

    private static final int MARK_OPEN = 0x4f50454e;

    private static final Duration SCRUB_PAUSE = Duration.ofSeconds(1);

    @TempDir private Path directory;
    private final Deque<AutoCloseable> started = new ArrayDeque<>();

    /** One for each best view. One serves at a time, like successive pods. */
    private final Map<View, ImageViews> views = new EnumMap<>(View.class);

    private volatile View serving = View.PORTABLE;

    /** Whether new servers can never open the node cache. */
    private volatile boolean packsFailed;

    private TestDataset dataset;
    private TestDataset other;
    private LoopDisk ownDisk;
    private NodePacks nodePacks;
    private Path mountpoint;

    /** Create a process's own state, as the next process does. */
    private Supplier<NodePacks> caches;

    private Function<View, ImageViews> viewers;

    /** The directory of the objects that {@link #viewers} creates. */
    private volatile String imagesDirectory = "images";

    /** Whether the next fetched image is damaged after the fetch, and the number of fetches. */
    private volatile boolean harm;

    private final AtomicInteger fetched = new AtomicInteger();

    /** The other version's image arrives when this is zero. */
    private volatile CountDownLatch otherImage = new CountDownLatch(0);

    @BeforeEach
    void mount(TestInfo test) throws Exception {
        if (test.getTags().contains(OWN_DISK)) {
            Path image = directory.resolve("packs.image");
            ownDisk = start(LoopDisk.mount(image, OWN_DISK_BYTES, directory.resolve("packs")));
        }
        FakeWorker worker = start(new FakeWorker());
        dataset = version("views/digits@v1", CheckingReader.objects());
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        objects.put("f", TestDataset.bytes(OTHER_BYTES, 99));
        other = version("views/other@v1", objects);
        worker.serve(dataset);
        worker.serve(other);
        WorkerClient client = start(new WorkerClient(WorkerClientConfig.defaults()));
        WorkerSet workers = new WorkerSet(List.of(worker.node()), Set.of("fake"));
        RegionReader region =
                new RegionReader(
                        client, () -> workers, RegionReaderConfig.defaults(), ReadEvents.NONE);
        RegionFiles files = new RegionFiles(client, () -> workers, RegionFilesConfig.defaults());
        Manifests manifests =
                new Manifests(
                        new ManifestCache(
                                directory.resolve("manifests"),
                                1 << 30,
                                (ref, target) -> files.manifest(ref.digest(), target)));
        List<Mount> mounts = List.of(dataset.mount(), other.mount());
        caches =
                () -> {
                    NodePacks cache =
                            NodePacks.open(
                                    new NodePacksConfig(
                                            directory.resolve("packs"),
                                            CAPACITY,
                                            1L << 40,
                                            Duration.ofMillis(50),
                                            Duration.ofMillis(50),
                                            test.getTags().contains(SCRUBBED) ? 1L << 40 : 0,
                                            SCRUB_PAUSE,
                                            !test.getTags().contains(LENIENT)),
                                    manifests,
                                    new LocalChunks(new NeighbourStore(List.of()), region::read),
                                    _ -> {});
                    cache.update(mounts);
                    return cache;
                };
        nodePacks = start(caches.get());
        MountedSource source = new MountedSource(nodePacks);
        PackReader packs =
                start(
                        new PackReader(
                                source,
                                Optional.of(nodePacks),
                                PackReaderConfig.ofMemory(4 << 20),
                                ReadMeter.NONE));
        PortableView tree = new PortableView(manifests, packs, 65_536, InodeNumbers.unkept(), 0);
        MountedPacks mountedPacks = new MountedPacks(manifests);
        mountpoint = Files.createDirectory(share().resolve("mnt"));
        Transport transport =
                KernelTransport.mount(
                        new PackFolder(tree, mountedPacks, packs),
                        new UpcallGuard(new Silent()),
                        mountpoint,
                        false);
        start(transport);
        source.update(mounts);
        mountedPacks.update(mounts);
        viewers =
                best -> {
                    ImageViews each =
                            new ImageViews(
                                    () ->
                                            serving == best
                                                    ? Optional.of(mountpoint)
                                                    : Optional.empty(),
                                    best,
                                    ImageDevices.FILES,
                                    new Images(
                                            directory.resolve(imagesDirectory),
                                            Long.MAX_VALUE,
                                            (mount, target) -> fetch(files, mount, target)),
                                    mountedPacks,
                                    new Packs());
                    each.retain(mounts);
                    return each;
                };
        for (View best : View.values()) {
            views.put(best, start(viewers.apply(best)));
        }
        tree.show(mounts);
    }

    private Digest fetch(RegionFiles files, Mount mount, Path target) {
        if (mount.equals(other.mount())) {
            awaitOther();
        }
        Digest digest = files.image(mount.version(), mount.manifest().digest(), target);
        fetched.incrementAndGet();
        if (harm) {
            harm = false;
            // The superblock's checksum.
            flip(target, 1028, 1032);
        }
        return digest;
    }

    private void awaitOther() {
        try {
            otherImage.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void flip(Path path, int from, int to) {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            byte[] bytes = new byte[to - from];
            file.seek(from);
            file.readFully(bytes);
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] ^= 1;
            }
            file.seek(from);
            file.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a directory with shared mount propagation, as a node provides it to its pods. */
    private Path share() throws Exception {
        Path shared = Files.createDirectory(directory.resolve("shared"));
        run("mount", "--bind", shared.toString(), shared.toString());
        AutoCloseable _ = start(() -> run("umount", "--lazy", shared.toString()));
        run("mount", "--make-shared", shared.toString());
        return shared;
    }

    private static void run(String... command) throws Exception {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    private <T extends AutoCloseable> T start(T part) {
        started.push(part);
        return part;
    }

    private TestDataset version(String version, SortedMap<String, byte[]> objects) {
        return TestDataset.write(directory, DatasetVersion.parse(version), objects);
    }

    private final class Packs implements LocalPacks {
        @Override
        public Optional<NodePacks> open() {
            return packsFailed ? Optional.empty() : Optional.of(nodePacks);
        }

        @Override
        public boolean failed() {
            return packsFailed;
        }
    }

    private static final class Silent implements OperationMeter {
        @Override
        public void ended(Operation operation, long nanos) {}

        @Override
        public void failed(Operation operation, ErrorCode code) {}
    }

    @AfterEach
    void unmount() throws Exception {
        while (!started.isEmpty()) {
            started.pop().close();
        }
    }

    private Path folder(TestDataset each) {
        return mountpoint.resolve(each.mount().version().path());
    }

    private View shown(TestDataset each) {
        try {
            List<String> stack = ImageTreeContract.mountsAt(folder(each));
            if (stack.isEmpty()) {
                return View.PORTABLE;
            }
            return stack.getLast().contains("/native/") ? View.NATIVE : View.ON_DEMAND;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            Objects.requireNonNull(views.get(serving)).show();
            LockSupport.parkNanos(5_000_000);
        }
    }

    private void showAtBest(View best) {
        serveAt(best);
        await("shown at best " + best, () -> shown(dataset) == best);
    }

    /**
     * Switches like one pod after another: the first one changes nothing after the second serves.
     */
    private void serveAt(View best) {
        restart(serving);
        serving = best;
    }

    private void restart(View best) {
        Objects.requireNonNull(views.remove(best)).close();
        views.put(best, start(viewers.apply(best)));
    }

    private void bringHere() {
        nodePacks.use(dataset.file().digest());
        await("the version is complete", () -> nodePacks.isWhole(dataset.file().digest()));
    }

    private void assertReads(TestDataset each) {
        TestDataset.assertShows(folder(each), each.objects());
    }

    @Test
    void readersDoNotNoticeRandomChangesOfTheView() throws Exception {
        System.out.println("Seed " + SEED);
        Random random = new Random(SEED);
        bringHere();
        EnumSet<Way> ways = EnumSet.of(Way.BUFFERED, Way.MAPPED, Way.SMALL_FILES);
        List<Running> readers =
                new ArrayList<>(
                        HeldMountFixture.readers(
                                directory, folder(dataset), SEED, ways, List.of()));
        List<Running> inContainer =
                HeldMountFixture.readers(
                        directory,
                        folder(dataset),
                        SEED + 1,
                        EnumSet.of(Way.BUFFERED, Way.SMALL_FILES),
                        List.of("unshare", "--mount", "--propagation", "slave"));
        readers.addAll(inContainer);
        List<View> all = List.of(View.values());
        for (int change = 0; change < CHANGES; change++) {
            showAtBest(all.get(random.nextInt(all.size())));
            for (Running reader : inContainer) {
                // Their mounts change in the same call as ours.
                assertThat(nativeMountsOf(reader)).isEqualTo(serving == View.NATIVE ? 1 : 0);
            }
            LockSupport.parkNanos(random.nextLong(100_000_000));
        }
        Seen seen = HeldMountFixture.end(readers);
        System.out.printf("%d changes, %d reads%n", CHANGES, seen.operations());
        assertThat(seen.complaints()).as("seed %d", SEED).isEmpty();
        assertThat(seen.operations()).isPositive();
    }

    private long nativeMountsOf(Running reader) throws IOException {
        Path mounts = Path.of("/proc/%d/mountinfo".formatted(reader.process().pid()));
        return ImageTreeContract.mountsAt(folder(dataset), mounts).stream()
                .filter(line -> line.contains("/native/"))
                .count();
    }

    /**
     * Guards against damage in open files. A file that was opened natively reads the pack's file,
     * even if the view changes, so no page of it may be evicted.
     */
    @Test
    void openFilesStayCorrectWhenTheirSpaceIsNeeded() throws Exception {
        bringHere();
        showAtBest(View.NATIVE);
        byte[] expected = big();
        Path file = folder(dataset).resolve(BIG);
        long held = nodePacks.usedBytes();
        try (Arena arena = Arena.ofConfined();
                NativeFile open = NativeFile.open(file);
                FileChannel channel = FileChannel.open(file)) {
            MemorySegment mapped =
                    channel.map(FileChannel.MapMode.READ_ONLY, 0, expected.length, arena);
            assertReads(other);
            await("the native view yields its space", () -> shown(dataset) == View.ON_DEMAND);
            assertReads(other);

            assertThat(nodePacks.counters().refused()).isPositive();
            assertThat(nodePacks.usedBytes()).isGreaterThanOrEqualTo(held);
            open.dropPages();
            assertThat(Arrays.equals(read(open), expected)).isTrue();
            assertThat(mapped.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
            assertThat(nodePacks.isWhole(dataset.file().digest())).isTrue();
        }
        await(
                "packs that no process has open are evicted",
                () -> {
                    readFromNodeCache(other);
                    return !nodePacks.isWhole(dataset.file().digest());
                });
        assertReads(dataset);
        assertReads(other);
    }

    @Test
    void anEvictedVersionIsNativeAgainOnceItIsReadAgain() {
        bringHere();
        showAtBest(View.ON_DEMAND);
        await(
                "its packs are evicted",
                () -> {
                    readFromNodeCache(other);
                    return !nodePacks.isWhole(dataset.file().digest());
                });
        serveAt(View.NATIVE);
        await(
                "native again",
                () -> {
                    nodePacks.use(dataset.file().digest());
                    return shown(dataset) == View.NATIVE;
                });
        assertReads(dataset);
    }

    private void readFromNodeCache(TestDataset each) {
        PackId pack = each.packs().keySet().iterator().next();
        nodePacks.read(
                each.file().digest(), pack, 0, OTHER_BYTES, ByteBuffer.allocate(OTHER_BYTES));
    }

    @Test
    void damageFoundByAReadRemountsTheNativeView() throws Exception {
        bringHere();
        showAtBest(View.NATIVE);
        // An open file also keeps the device's number in use.
        try (NativeFile _ = NativeFile.open(folder(dataset).resolve(BIG))) {
            long before = device();
            damage();
            awaitMountedAnew(before);
        }
        assertReads(dataset);
    }

    @Test
    void theScrubberReplacesAnImageThatChangesOnDisk() throws Exception {
        bringHere();
        showAtBest(View.NATIVE);
        assertNoticesThatTheImageChanges();
    }

    /** No image must be attached, so the successor has not verified it yet. */
    @Test
    void theScrubberReplacesAChangedImageOfAPredecessor() throws Exception {
        bringHere();
        showAtBest(View.NATIVE);
        restart(View.NATIVE);
        assertNoticesThatTheImageChanges();
    }

    private void assertNoticesThatTheImageChanges() throws Exception {
        ImageViews shown = Objects.requireNonNull(views.get(View.NATIVE));
        String name = new ImageName(dataset.mount().version(), dataset.file().digest()).fileName();
        Path image =
                shown.images().values().stream()
                        .filter(each -> each.toString().endsWith(name))
                        .findFirst()
                        .orElseThrow();
        Digest right = ManifestFile.digestOf(image);
        // An open file also keeps the device's number in use.
        try (NativeFile _ = NativeFile.open(folder(dataset).resolve(BIG));
                ScrubLoop<?> _ =
                        DigestScrubber.start(
                                "images",
                                shown::images,
                                shown::distrust,
                                1L << 40,
                                Duration.ofMillis(1))) {
            long before = device();
            int end = Math.toIntExact(Files.size(image));
            flip(image, end - 1, end);
            awaitMountedAnew(before);
        }
        assertThat(ManifestFile.digestOf(image)).isEqualTo(right);
        assertReads(dataset);
    }

    /** The kernel keeps the damaged pages that it has read, even after the repair on disk. */
    @Test
    @Tag(SCRUBBED)
    void damageRepairedByTheScrubberRemountsTheNativeView() throws Exception {
        bringHere();
        boolean seenWrong = false;
        // The scrub may come before the reader.
        for (int attempt = 0; attempt < 10 && !seenWrong; attempt++) {
            showAtBest(View.NATIVE);
            // An open file also keeps the device's number in use.
            try (NativeFile open = NativeFile.open(folder(dataset).resolve(BIG))) {
                long before = device();
                spoil();
                open.dropPages();
                seenWrong = !Arrays.equals(read(open), big());
                awaitMountedAnew(before);
            }
        }
        assertThat(seenWrong).isTrue();
        assertReads(dataset);
    }

    /** Only the view reads the disk. */
    @Test
    @Tag(OWN_DISK)
    void aNativeViewFallsBackToOnDemandWhenItsDiskFails() {
        bringHere();
        showAtBest(View.NATIVE);
        ownDisk.die();
        await("served by the pod", () -> shown(dataset) == View.ON_DEMAND);
        assertReads(dataset);
    }

    @Test
    void aNativeViewFallsBackToOnDemandWhenPacksCannotBeOpened() throws Exception {
        bringHere();
        showAtBest(View.NATIVE);
        Objects.requireNonNull(views.remove(View.NATIVE)).close();
        nodePacks.close();
        packsFailed = true;
        views.put(View.NATIVE, start(viewers.apply(View.NATIVE)));
        await("served by the pod", () -> shown(dataset) == View.ON_DEMAND);
        assertReads(dataset);
    }

    /** Damage that the successor finds in its first check is in that view too. */
    @Test
    void damageFoundByASuccessorRemountsItsPredecessorsView() throws Exception {
        bringHere();
        showAtBest(View.NATIVE);
        Objects.requireNonNull(views.remove(View.NATIVE)).close();
        nodePacks.close();
        // An open file also keeps the device's number in use.
        try (NativeFile open = NativeFile.open(folder(dataset).resolve(BIG))) {
            long before = device();
            markAsKilled(spoil());
            open.dropPages();
            assertThat(read(open)).isNotEqualTo(big());

            nodePacks = start(caches.get());
            views.put(View.NATIVE, start(viewers.apply(View.NATIVE)));
            awaitMountedAnew(before);
        }
        assertReads(dataset);
    }

    /**
     * The predecessor is killed before it checks its views, and the disk has no damage any more.
     */
    @Test
    void damageRepairedByAPredecessorRemountsItsView() throws Exception {
        bringHere();
        showAtBest(View.NATIVE);
        Objects.requireNonNull(views.remove(View.NATIVE)).close();
        // An open file also keeps the device's number in use.
        try (NativeFile open = NativeFile.open(folder(dataset).resolve(BIG))) {
            long before = device();
            PackId pack = spoil();
            open.dropPages();
            assertThat(read(open)).isNotEqualTo(big());
            find(pack);
            nodePacks.close();

            nodePacks = start(caches.get());
            views.put(View.NATIVE, start(viewers.apply(View.NATIVE)));
            awaitMountedAnew(before);
        }
        assertReads(dataset);
        await("the view is not mounted again", () -> nodePacks.harmed().isEmpty());
    }

    /** "Strict reads". */
    @Test
    @Tag(SCRUBBED)
    @Tag(LENIENT)
    void aSmallReadIsRightOnceTheScrubberFindsTheDamage() throws Exception {
        bringHere();
        boolean seenWrong = false;
        // The scrub may come before the reader. The next attempt uses a file that the kernel has
        // not cached.
        for (int file = 0; file < CheckingReader.SMALL_FILES && !seenWrong; ) {
            showAtBest(View.ON_DEMAND);
            String key = "small/%03d".formatted(file);
            byte[] right = dataset.objects().getOrDefault(key, new byte[0]);
            spoil(key);
            Path path = folder(dataset).resolve(key);
            seenWrong = !Arrays.equals(Files.readAllBytes(path), right);
            await("right", () -> Arrays.equals(readAll(path), right));
            file += BETWEEN_SMALL_FILES;
        }
        assertThat(seenWrong).isTrue();
        showAtBest(View.ON_DEMAND);
        assertReads(dataset);
    }

    /** Simulates a predecessor with another {@code --cache-directory}. */
    @Test
    @Tag(LENIENT)
    void aSmallReadBelowAnotherDirectorysImageIsRightOnceDamageIsFound() throws Exception {
        bringHere();
        showAtBest(View.ON_DEMAND);
        String key = "small/000";
        byte[] right = dataset.objects().getOrDefault(key, new byte[0]);
        spoil(key);
        Path path = folder(dataset).resolve(key);
        assertThat(readAll(path)).isNotEqualTo(right);
        Objects.requireNonNull(views.remove(View.ON_DEMAND)).close();
        imagesDirectory = "other-images";
        views.put(View.ON_DEMAND, start(viewers.apply(View.ON_DEMAND)));
        for (Map.Entry<PackId, byte[]> pack : dataset.packs().entrySet()) {
            int length = pack.getValue().length;
            nodePacks.read(
                    dataset.file().digest(), pack.getKey(), 0, length, ByteBuffer.allocate(length));
        }
        assertThat(nodePacks.counters().damagedBlocks()).isEqualTo(1);
        await("right", () -> Arrays.equals(readAll(path), right));
    }

    private static byte[] readAll(Path path) {
        try {
            return Files.readAllBytes(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Leaves a pack's map as a process does that had no time to settle it. */
    private void markAsKilled(PackId pack) throws IOException {
        Path map = directory.resolve("packs/" + pack + ".map");
        try (RandomAccessFile file = new RandomAccessFile(map.toFile(), "rw")) {
            file.seek(MARK_OFFSET);
            file.writeInt(MARK_OPEN);
        }
    }

    private byte[] big() {
        return dataset.objects().getOrDefault(BIG, new byte[0]);
    }

    private byte[] read(NativeFile file) {
        byte[] read = new byte[big().length];
        assertThat(file.read(read, 0).result()).isEqualTo(read.length);
        return read;
    }

    private void damage() throws IOException {
        find(spoil());
    }

    /** Makes the damage of {@link #spoil()} found and repaired. */
    private void find(PackId pack) {
        int length = 6 << 20;
        nodePacks.read(dataset.file().digest(), pack, 0, length, ByteBuffer.allocate(length));
        assertThat(nodePacks.counters().damagedBlocks()).isEqualTo(1);
    }

    /** Damages the large file on the disk, and returns its pack. */
    private PackId spoil() throws IOException {
        PackId pack = dataset.packs().keySet().iterator().next();
        spoil(pack, 5_000_000);
        return pack;
    }

    /** Damages a small file on the disk. */
    private void spoil(String key) throws IOException {
        byte[] bytes = dataset.objects().getOrDefault(key, new byte[0]);
        for (Map.Entry<PackId, byte[]> pack : dataset.packs().entrySet()) {
            for (int at = 0; at + bytes.length <= pack.getValue().length; at += PAGE) {
                if (Arrays.equals(pack.getValue(), at, at + bytes.length, bytes, 0, bytes.length)) {
                    spoil(pack.getKey(), at);
                    return;
                }
            }
        }
        throw new AssertionError(key + " is in no pack");
    }

    private void spoil(PackId pack, long at) throws IOException {
        Path data = directory.resolve("packs/" + pack + ".pack");
        try (RandomAccessFile file = new RandomAccessFile(data.toFile(), "rw")) {
            file.seek(at);
            file.write(new byte[100]);
            file.getFD().sync();
        }
    }

    @Test
    void aDamagedViewIsDetachedEvenIfAnotherVersionsImageIsLate() throws Exception {
        CountDownLatch arrival = new CountDownLatch(1);
        otherImage = arrival;
        try {
            bringHere();
            showAtBest(View.NATIVE);
            damage();
            // The on-demand image goes too, and returns after the image of the other version.
            await("the native view is detached", () -> shown(dataset) != View.NATIVE);
            assertReads(dataset);
        } finally {
            arrival.countDown();
        }
        await("both", () -> shown(dataset) == View.NATIVE && shown(other) != View.PORTABLE);
    }

    /** Waits for both steps in their order: the old view goes before the new one comes. */
    private void awaitMountedAnew(long before) {
        // The view may be mounted anew more than once: for earlier damage, too.
        Path file = folder(dataset).resolve(BIG);
        await(
                "mounted again, and right",
                () ->
                        device() != before
                                && shown(dataset) == View.NATIVE
                                && Arrays.equals(readAll(file), big()));
    }

    private long device() {
        try {
            return (Long) Files.getAttribute(folder(dataset), "unix:dev");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next server finds the damage, and does not continue with the image. */
    @Test
    void theNextServerFetchesADamagedImageAgain() throws Exception {
        showAtBest(View.ON_DEMAND);
        Path image = image(dataset);
        flip(image, 4096, Math.toIntExact(Files.size(image)));
        int fetchedBefore = fetched.get();
        bringHere();
        showAtBest(View.NATIVE);
        assertReads(dataset);
        assertThat(fetched).hasValueGreaterThan(fetchedBefore);
        showAtBest(View.ON_DEMAND);
        assertReads(dataset);
    }

    private Path image(TestDataset each) throws IOException {
        String name = new ImageName(each.mount().version(), each.file().digest()).fileName();
        try (Stream<Path> images = Files.list(directory.resolve("images"))) {
            return images.filter(file -> file.toString().endsWith(name)).findAny().orElseThrow();
        }
    }

    @Test
    void anImageThatTheKernelRefusesIsFetchedAgain() {
        harm = true;
        showAtBest(View.ON_DEMAND);
        await("both", () -> shown(other) == View.ON_DEMAND);
        assertThat(fetched).hasValue(3);
        assertReads(dataset);
        assertReads(other);
    }

    @Test
    void aMountedImageThatTheKernelRefusesLaterIsReplaced() throws Exception {
        serveAt(View.NATIVE);
        await("its packs are not here", () -> shown(dataset) == View.ON_DEMAND);
        // An open file also keeps the device's number in use.
        try (NativeFile _ = NativeFile.open(folder(dataset).resolve(BIG))) {
            long before = device();
            flip(image(dataset), 1028, 1032);
            bringHere();
            await("native", () -> shown(dataset) == View.NATIVE);
            showAtBest(View.ON_DEMAND);
            assertThat(device()).as("mounted again").isNotEqualTo(before);
        }
        assertReads(dataset);
    }
}
