package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.InodeNumbers;
import dev.forebay.fuse.fs.Manifests;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.fs.OperationMeter;
import dev.forebay.fuse.fs.PortableView;
import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.jnr.Paths;
import dev.forebay.fuse.read.MountedSource;
import dev.forebay.fuse.read.PackReader;
import dev.forebay.fuse.read.PackReaderConfig;
import dev.forebay.fuse.read.ReadMeter;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.membership.Mount;
import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.transfer.ReadEvents;
import dev.forebay.transfer.RegionFiles;
import dev.forebay.transfer.RegionFilesConfig;
import dev.forebay.transfer.RegionReader;
import dev.forebay.transfer.RegionReaderConfig;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import dev.forebay.transfer.WorkerSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The contract of every transport: a real mount, over a worker in this process. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class MountedTreeContract extends PosixCallsContract {

    static final int CHUNK = ChunkId.CHUNK_BYTES;

    /** The time that a worker may take, which suits a busy machine. */
    private static final Duration ATTEMPT = Duration.ofSeconds(3);

    /** The tolerated delay of a busy machine. */
    private static final Duration BUSY = Duration.ofSeconds(5);

    /** The timeouts of reads that no worker can answer in the test. */
    private static final RegionReaderConfig SHORT_TIMEOUT =
            new RegionReaderConfig(
                    Duration.ofMillis(500), Duration.ofMillis(200), Duration.ofMillis(100));

    private final List<ErrorCode> failures = Collections.synchronizedList(new ArrayList<>());

    /** Requests for bytes of files. */
    final AtomicInteger reads = new AtomicInteger();

    private FakeWorker worker;
    private WorkerClient client;
    MountedSource source;
    private volatile boolean impatient;
    private PortableView view;
    private Transport transport;
    private TestDataset tree;
    private Path root;
    Path directory;
    Path mountpoint;
    Manifests manifests;
    PackReader packs;

    /** Mounts without access for other users. */
    abstract Transport mount(FileSystemView view, UpcallGuard guard, Path mountpoint);

    /** Returns how long the kernel may cache which versions exist. */
    Duration memoryOfNames() {
        return Duration.ofSeconds(1);
    }

    @BeforeAll
    void mount(@TempDir Path directory) throws Exception {
        this.directory = directory;
        worker = new FakeWorker();
        client = new WorkerClient(WorkerClientConfig.defaults());
        WorkerSet workers = new WorkerSet(List.of(worker.node()), Set.of("fake"));
        RegionReaderConfig timeout =
                new RegionReaderConfig(Duration.ofSeconds(6), ATTEMPT, Duration.ofSeconds(1));
        RegionReader patient = new RegionReader(client, () -> workers, timeout, ReadEvents.NONE);
        RegionReader hasty =
                new RegionReader(client, () -> workers, SHORT_TIMEOUT, ReadEvents.NONE);
        source =
                new MountedSource(
                        (manifest, pack, from, to, target) ->
                                (impatient ? hasty : patient)
                                        .read(manifest, pack, from, to, target));
        packs =
                new PackReader(
                        source,
                        Optional.empty(),
                        PackReaderConfig.ofMemory(64 << 20),
                        ReadMeter.NONE);
        RegionFiles files = new RegionFiles(client, () -> workers, RegionFilesConfig.defaults());
        ManifestCache cache =
                new ManifestCache(
                        directory.resolve("manifests"),
                        1 << 30,
                        (ref, target) -> files.manifest(ref.digest(), target));
        manifests = new Manifests(cache);
        view = new PortableView(manifests, packs, 65_536, InodeNumbers.unkept(), 0);
        tree = dataset("tree/all@v1", someObjects());
        mountpoint = Files.createDirectory(directory.resolve("mnt"));
        transport = mount(view, new UpcallGuard(new Meter()), mountpoint);
        show(tree);
        root = mountpoint.resolve("tree/all/v1");
    }

    @AfterAll
    void unmount() {
        transport.close();
        packs.close();
        client.close();
        worker.close();
        assertThat(mountpoint).isEmptyDirectory();
    }

    private final class Meter implements OperationMeter {
        @Override
        public void ended(Operation operation, long nanos) {
            if (operation == Operation.READ) {
                reads.incrementAndGet();
            }
        }

        @Override
        public void failed(Operation operation, ErrorCode code) {
            failures.add(code);
        }
    }

    private TestDataset dataset(String version, SortedMap<String, byte[]> objects) {
        TestDataset dataset = TestDataset.write(directory, DatasetVersion.parse(version), objects);
        worker.serve(dataset);
        return dataset;
    }

    /** Applies a change of the mount table, as the pod does. */
    private void show(TestDataset... datasets) {
        show(Arrays.stream(datasets).map(TestDataset::mount).toList());
    }

    void show(List<Mount> mounts) {
        source.update(mounts);
        view.show(mounts);
    }

    @Override
    Path root() {
        return root;
    }

    @Override
    SortedMap<String, byte[]> objects() {
        return tree.objects();
    }

    private static SortedMap<String, byte[]> someObjects() {
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        int[] sizes = {
            0, 1, 4095, 4096, 4097, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 12_345, 131_073
        };
        for (int size : sizes) {
            objects.put("sizes/%d.bin".formatted(size), TestDataset.bytes(size, size));
        }
        for (String name :
                List.of(
                        "with space",
                        "ünïcode",
                        "日本語",
                        "😀",
                        "quote'\"",
                        "back\\slash",
                        "new\nline",
                        "%2F",
                        "-dash",
                        "a:b*c?",
                        "x".repeat(255),
                        "ä".repeat(127))) {
            objects.put("odd/" + name, TestDataset.bytes(100, name.hashCode()));
        }
        objects.put("d/".repeat(60) + "deep", TestDataset.bytes(10, 60));
        for (int i = 0; i < 10_000; i++) {
            objects.put("many/%05d.txt".formatted(i), TestDataset.bytes(i % 50, i));
        }
        objects.put("nothing/", new byte[0]);
        return objects;
    }

    @Test
    void everyFileHasTheBytesOfItsObject() throws IOException {
        Set<String> found = new TreeSet<>();
        try (Stream<Path> walk = Files.walk(root)) {
            for (Path file : (Iterable<Path>) walk.filter(Files::isRegularFile)::iterator) {
                String key = root.relativize(file).toString();
                found.add(key);
                byte[] expected = tree.objects().get(key);
                assertThat(expected).as(key).isNotNull();
                assertThat(Arrays.equals(Files.readAllBytes(file), expected)).as(key).isTrue();
            }
        }
        Set<String> files = new TreeSet<>(tree.objects().keySet());
        files.remove("nothing/");
        assertThat(found).isEqualTo(files);
    }

    @Test
    void randomReadsFromManyThreadsReturnTheRightBytes() throws Exception {
        byte[] expected =
                tree.objects()
                        .getOrDefault("sizes/%d.bin".formatted(3 * CHUNK + 12_345), new byte[0]);
        Path file = root.resolve("sizes/%d.bin".formatted(3 * CHUNK + 12_345));
        long seed = System.nanoTime();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<?>> reads = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                Random random = new Random(seed + thread);
                reads.add(
                        threads.submit(
                                () -> {
                                    readAtRandom(file, expected, random);
                                    return true;
                                }));
            }
            for (Future<?> read : reads) {
                assertThat(read.get()).as("seed %d", seed).isEqualTo(true);
            }
        }
    }

    private static void readAtRandom(Path file, byte[] expected, Random random) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            for (int i = 0; i < 100; i++) {
                int length = 1 + random.nextInt(300_000);
                int from = random.nextInt(expected.length - length);
                ByteBuffer target = ByteBuffer.allocate(length);
                while (target.hasRemaining()) {
                    assertThat(channel.read(target, from + target.position())).isPositive();
                }
                assertThat(target.array())
                        .isEqualTo(Arrays.copyOfRange(expected, from, from + length));
            }
        }
    }

    @Test
    void theTreeListsNamespacesDatasetsAndEmptyDirectories() throws IOException {
        assertThat(mountpoint.toFile().list()).containsExactly("tree");
        assertThat(mountpoint.resolve("tree/all").toFile().list()).containsExactly("v1");
        assertThat(root.resolve("nothing")).isEmptyDirectory();
        try (Stream<Path> many = Files.list(root.resolve("many"))) {
            assertThat(many.count()).isEqualTo(10_000);
        }
    }

    /** "Freshness of names". */
    @Test
    void aNewVersionIsVisibleAtOnceEvenAfterAFailedLookup() {
        TestDataset dataset = small("tree/fresh@v1");
        Path folder = mountpoint.resolve("tree/fresh");
        assertThat(folder.resolve("v1")).doesNotExist();
        assertThat(mountpoint.resolve("tree").toFile().list()).doesNotContain("fresh");

        show(tree, dataset);

        try {
            assertThat(folder.resolve("v1")).exists();
            assertThat(mountpoint.resolve("tree").toFile().list()).contains("fresh");
            assertThat(folder.toFile().list()).containsExactly("v1");
        } finally {
            show(tree);
        }
    }

    /** "Freshness of names". */
    @Test
    void anEvictedVersionIsUnreadableAtOnceAndSoonDisappears() throws IOException {
        show(tree, small("tree/gone@v1"));
        Path version = mountpoint.resolve("tree/gone/v1");
        Path file = version.resolve("f");
        assertThat(Files.size(file)).as("known, and never read").isEqualTo(5000);

        show(tree);

        long evicted = System.nanoTime();
        assertThatThrownBy(() -> Files.readAllBytes(file)).isInstanceOf(IOException.class);
        while (Files.exists(version)) {
            assertThat(Duration.ofNanos(System.nanoTime() - evicted))
                    .isLessThan(memoryOfNames().plus(BUSY));
            LockSupport.parkNanos(10_000_000);
        }
    }

    private TestDataset small(String version) {
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        objects.put("f", TestDataset.bytes(5000, version.hashCode()));
        return dataset(version, objects);
    }

    @Test
    void aFileShowsItsAttributesAndItsObject() throws IOException {
        Path file = root.resolve("sizes/4097.bin");
        assertThat(Files.getAttribute(file, "unix:mode")).isEqualTo(0100444);
        assertThat(Files.size(file)).isEqualTo(4097);
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(FileTime.from(TestDataset.MODIFIED));
        UserDefinedFileAttributeView attributes =
                Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        assertThat(attributes.list()).contains("forebay.key", "forebay.etag");
        ByteBuffer value = ByteBuffer.allocate(attributes.size("forebay.key"));
        attributes.read("forebay.key", value);
        assertThat(new String(value.array(), StandardCharsets.UTF_8)).isEqualTo("sizes/4097.bin");
        FileStore store = Files.getFileStore(file);
        assertThat(store.isReadOnly()).isTrue();
        assertThat(store.getUsableSpace()).isZero();
    }

    /** The kernel learns that the folder exists without the manifest. */
    @Test
    void theFirstStatOfAVersionShowsItsNewestModificationTime() throws IOException {
        show(tree, small("tree/time@v1"));
        assertThat(Files.getLastModifiedTime(mountpoint.resolve("tree/time/v1")))
                .isEqualTo(FileTime.from(TestDataset.MODIFIED));
        show(tree);
    }

    @Test
    void theMountShowsTheSizeOfAllVersionsAndItsOwnInodeNumbers() throws IOException {
        show(tree);
        FileStore store = Files.getFileStore(mountpoint);
        assertThat(store.isReadOnly()).isTrue();
        assertThat(store.type()).isEqualTo("fuse.forebay");
        assertThat(store.getTotalSpace()).isEqualTo(Math.ceilDiv(tree.file().bytes(), 4096) * 4096);
        assertThat(store.getUsableSpace()).isZero();
        long inode = (Long) Files.getAttribute(mountpoint.resolve("tree/all"), "unix:ino");
        assertThat(inode).isEqualTo(Paths.resolve(view, "/tree/all").inode());
    }

    /** "Errors". */
    @Test
    void posixErrorsAreRight() {
        assertThatThrownBy(() -> Files.size(root.resolve("none"))).hasMessageContaining("none");
        assertThatThrownBy(() -> Files.readAllBytes(root.resolve("sizes/1.bin/below")))
                .hasMessageContaining("Not a directory");
        assertThatThrownBy(() -> Files.readAllBytes(root.resolve("sizes")))
                .hasMessageContaining("Is a directory");
        assertThatThrownBy(() -> Files.size(root.resolve("x".repeat(256))))
                .hasMessageContaining("File name too long");
    }

    @Test
    void aChangedObjectFailsOnlyItsOwnReads() throws IOException {
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        for (String name : List.of("a", "b", "c")) {
            objects.put(name, TestDataset.bytes(5000, name.hashCode()));
        }
        TestDataset dataset = dataset("tree/changed@v1", objects);
        show(tree, dataset);
        worker.change("b");
        Path changed = mountpoint.resolve("tree/changed/v1");
        assertThat(changed.resolve("a")).hasBinaryContent(TestDataset.bytes(5000, "a".hashCode()));
        assertThatThrownBy(() -> Files.readAllBytes(changed.resolve("b")))
                .hasMessageContaining("Input/output error");
        assertThat(changed.resolve("c")).hasBinaryContent(TestDataset.bytes(5000, "c".hashCode()));
        assertThat(failures).contains(ErrorCode.LAKE_OBJECT_CHANGED);
    }

    /** "Versions share unchanged objects". */
    @Test
    void versionsThatShareAPackEachShowTheirOwnBytes() {
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        for (String name : List.of("one", "two", "three")) {
            objects.put(name, TestDataset.bytes(100_000, name.hashCode()));
        }
        TestDataset first = dataset("tree/shared@v1", objects);
        SortedMap<String, byte[]> without = TestDataset.noObjects();
        without.putAll(objects);
        without.remove("two");
        TestDataset second =
                TestDataset.write(
                        directory, DatasetVersion.parse("tree/shared@v2"), without, first);
        worker.serve(second);
        assertThat(second.packs()).containsOnlyKeys(first.packs().keySet());
        show(tree, first, second);
        for (TestDataset dataset : List.of(first, second)) {
            Path shared = mountpoint.resolve(dataset.mount().version().path());
            dataset.objects()
                    .forEach(
                            (key, bytes) ->
                                    assertThat(shared.resolve(key)).hasBinaryContent(bytes));
        }
        show(tree);
    }

    @Test
    void aReadFailsWhileNoWorkerAnswersAndSucceedsLater() throws IOException {
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        objects.put("f", TestDataset.bytes(5000, 7));
        TestDataset dataset = dataset("tree/down@v1", objects);
        show(tree, dataset);
        Path file = mountpoint.resolve("tree/down/v1/f");
        impatient = true;
        worker.down(true);
        try {
            assertThatThrownBy(() -> Files.readAllBytes(file))
                    .hasMessageContaining("Input/output error");
        } finally {
            worker.down(false);
            impatient = false;
        }
        assertThat(file).hasBinaryContent(TestDataset.bytes(5000, 7));
    }

    /** "A file that is open while its version is evicted". */
    @Test
    void anOpenFileOfAnEvictedVersionServesOnlyCachedBytes() {
        byte[] content = TestDataset.bytes(3 * CHUNK, 8);
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        objects.put("f", content);
        TestDataset dataset = dataset("tree/evicted@v1", objects);
        show(tree, dataset);
        Path path = mountpoint.resolve("tree/evicted/v1/f");
        byte[] first = new byte[4096];
        NativeFile again = NativeFile.open(path);
        try (NativeFile file = NativeFile.open(path)) {
            NativeFile.Status before = file.status();
            assertThat(file.read(first, 0).result()).isEqualTo(first.length);
            failures.clear();

            show(tree);

            assertThat(file.status()).isEqualTo(before);
            assertThat(before.size()).isEqualTo(content.length);
            assertThat(before.mode()).isEqualTo(0100444);
            assertThat(file.read(first, 0).result()).as("in memory").isEqualTo(first.length);
            assertThat(first).isEqualTo(Arrays.copyOf(content, first.length));
            long begun = System.nanoTime();
            assertThat(file.read(new byte[4096], 2L * CHUNK))
                    .isEqualTo(Libc.Answer.error(Libc.EIO));
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .as("less than the timeout of one attempt")
                    .isLessThan(ATTEMPT);
            assertThat(failures).containsOnly(ErrorCode.EVICTING);

            again.close();
            assertThat(file.status()).as("one of two is closed").isEqualTo(before);

            show(tree, dataset);

            byte[] last = new byte[4096];
            assertThat(file.read(last, 2L * CHUNK).result()).as("mounted again").isEqualTo(4096);
            assertThat(last).isEqualTo(Arrays.copyOfRange(content, 2 * CHUNK, 2 * CHUNK + 4096));
        } finally {
            show(tree);
        }
    }
}
