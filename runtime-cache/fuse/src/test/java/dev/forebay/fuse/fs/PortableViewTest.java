package dev.forebay.fuse.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.fuse.TestDataset;
import dev.forebay.fuse.jnr.Paths;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortableViewTest {

    @TempDir private Path directory;

    private final AtomicInteger fetches = new AtomicInteger();
    private final Map<String, TestDataset> byDigest = new HashMap<>();
    private TestDataset digits;
    private PortableView view;
    private boolean broken;

    @BeforeEach
    void mount() {
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        objects.put("train/0.png", TestDataset.bytes(5000, 1));
        objects.put("train/1.png", TestDataset.bytes(4096, 2));
        objects.put("empty", new byte[0]);
        objects.put("train/deep/er/ünïcode 日本 😀", TestDataset.bytes(1, 3));
        objects.put("placeholder/", new byte[0]);
        digits = dataset("vision/digits@v1", objects);
        view = view();
        view.show(List.of(digits.mount()));
    }

    private TestDataset dataset(String version, SortedMap<String, byte[]> objects) {
        TestDataset dataset = TestDataset.write(directory, DatasetVersion.parse(version), objects);
        byDigest.put(dataset.file().digest().hex(), dataset);
        return dataset;
    }

    private PortableView view() {
        ManifestCache cache =
                new ManifestCache(
                        directory.resolve("cache" + fetches.get()),
                        1 << 30,
                        (ref, target) -> {
                            fetches.incrementAndGet();
                            TestDataset dataset = byDigest.get(ref.digest().hex());
                            if (dataset == null) {
                                throw new ForebayException(ErrorCode.UNAVAILABLE, "no worker");
                            }
                            try {
                                Files.copy(dataset.file().path(), target);
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
        FileBytes bytes =
                (manifest, _, file, offset, target) -> {
                    if (broken) {
                        throw new ForebayException(ErrorCode.UNAVAILABLE, "no worker has it");
                    }
                    TestDataset dataset = byDigest.get(manifest.hex());
                    byte[] pack = dataset == null ? null : dataset.packs().get(file.pack());
                    assertThat(pack).isNotNull();
                    if (pack != null) {
                        target.put(pack, (int) (file.packOffset() + offset), target.remaining());
                    }
                };
        return new PortableView(
                new Manifests(cache),
                bytes,
                1000,
                InodeNumbers.unkept(),
                TimeUnit.SECONDS.toNanos(1_800_000_000L));
    }

    private Attributes resolve(String path) {
        return Paths.resolve(view, path);
    }

    private static void fails(Errno errno, ThrowingCallable call) {
        assertThatExceptionOfType(FsException.class)
                .isThrownBy(call)
                .matches(e -> e.errno() == errno, errno.name());
    }

    private List<String> list(String path) {
        List<String> names = new ArrayList<>();
        view.opendir(resolve(path).inode()).list(0, (name, _, _, _) -> names.add(name));
        return names;
    }

    private byte[] read(String path) {
        OpenFile file = view.open(resolve(path).inode());
        ByteBuffer target = ByteBuffer.allocate((int) file.attributes().size() + 10);
        int read = file.read(0, target);
        return Arrays.copyOf(target.array(), read);
    }

    @Test
    void showsTheLevelsAboveAVersion() {
        assertThat(list("/")).containsExactly(".", "..", "vision");
        assertThat(list("/vision")).containsExactly(".", "..", "digits");
        assertThat(list("/vision/digits")).containsExactly(".", "..", "v1");
        assertThat(resolve("/").inode()).isEqualTo(FileSystemView.ROOT);
        assertThat(resolve("/vision").mode()).isEqualTo(0040555);
        assertThat(fetches).hasValue(0);
    }

    @Test
    void showsAVersionsTree() {
        assertThat(list("/vision/digits/v1"))
                .containsExactly(".", "..", "empty", "placeholder", "train");
        assertThat(list("/vision/digits/v1/train"))
                .containsExactly(".", "..", "0.png", "1.png", "deep");
        assertThat(list("/vision/digits/v1/placeholder")).containsExactly(".", "..");
        assertThat(fetches).hasValue(1);
    }

    @Test
    void readsFiles() {
        digits.objects()
                .forEach(
                        (key, bytes) -> {
                            if (!key.endsWith("/")) {
                                assertThat(read("/vision/digits/v1/" + key)).isEqualTo(bytes);
                            }
                        });
    }

    @Test
    void readsFromAnyOffset() {
        OpenFile file = view.open(resolve("/vision/digits/v1/train/0.png").inode());
        byte[] bytes = digits.objects().getOrDefault("train/0.png", new byte[0]);
        ByteBuffer target = ByteBuffer.allocate(100);
        assertThat(file.read(4950, target)).isEqualTo(50);
        assertThat(Arrays.copyOf(target.array(), 50))
                .isEqualTo(Arrays.copyOfRange(bytes, 4950, 5000));
        assertThat(file.read(5000, target)).isZero();
        assertThat(file.read(Long.MAX_VALUE, target)).isZero();
    }

    @Test
    void showsAttributes() {
        Attributes file = resolve("/vision/digits/v1/train/0.png");
        assertThat(file.mode()).isEqualTo(0100444);
        assertThat(file.size()).isEqualTo(5000);
        assertThat(file.blocks()).isEqualTo(10);
        assertThat(file.mtimeNanos())
                .isEqualTo(TimeUnit.SECONDS.toNanos(1_700_000_000L) + 123_456_789);
        assertThat(view.getattr(file.inode())).isEqualTo(file);
        Attributes directory = resolve("/vision/digits/v1/train");
        assertThat(directory.mode()).isEqualTo(0040555);
        assertThat(view.getattr(directory.inode())).isEqualTo(directory);
        assertThat(view.getattr(resolve("/vision/digits").inode()).directory()).isTrue();
    }

    @Test
    void failedCallsReturnTheErrorsOfPosix() {
        fails(Errno.ENOENT, () -> resolve("/nobody"));
        fails(Errno.ENOENT, () -> resolve("/vision/digits/v2"));
        fails(Errno.ENOENT, () -> resolve("/vision/digits/v1/train/9.png"));
        fails(Errno.ENOTDIR, () -> resolve("/vision/digits/v1/empty/below"));
        fails(Errno.ENAMETOOLONG, () -> resolve("/" + "x".repeat(256)));
        fails(Errno.ENAMETOOLONG, () -> resolve("/vision/digits/v1/" + "ä".repeat(128)));
        fails(Errno.ENOENT, () -> resolve("/vision/digits/v1/" + "x".repeat(255)));
        fails(Errno.EISDIR, () -> view.open(resolve("/vision").inode()));
        fails(Errno.EISDIR, () -> view.open(resolve("/vision/digits/v1/train").inode()));
        fails(Errno.ENOTDIR, () -> view.opendir(resolve("/vision/digits/v1/empty").inode()));
        fails(Errno.ENOENT, () -> view.getattr(4711));
        fails(Errno.ENOENT, () -> view.getattr(InodeNumbers.of(4711, 1)));
    }

    @Test
    void extendedAttributesNameTheObjectOrTheVersion() {
        long inode = resolve("/vision/digits/v1/train/0.png").inode();
        assertThat(view.listxattr(inode))
                .containsExactly(
                        "user.forebay.key", "user.forebay.etag", "user.forebay.version-id");
        assertThat(xattr(inode, "key")).isEqualTo("train/0.png");
        assertThat(xattr(inode, "etag")).isEqualTo(TestDataset.etag("train/0.png"));
        assertThat(xattr(inode, "version-id")).isEqualTo("v-train/0.png");
        fails(Errno.ENODATA, () -> view.getxattr(inode, "security.capability"));
        long folder = resolve("/vision/digits/v1/train").inode();
        assertThat(view.listxattr(folder))
                .containsExactly("user.forebay.version", "user.forebay.manifest");
        assertThat(xattr(folder, "version")).isEqualTo("vision/digits@v1");
        assertThat(xattr(folder, "manifest")).isEqualTo(digits.file().digest().hex());
        assertThat(view.listxattr(FileSystemView.ROOT)).isEmpty();
    }

    private String xattr(long inode, String name) {
        return new String(view.getxattr(inode, "user.forebay." + name), StandardCharsets.UTF_8);
    }

    @Test
    void statfsCountsTheMountedBytesAndObjects() {
        assertThat(view.statfs()).isEqualTo(new Statistics(9097, 4));
        view.show(List.of());
        assertThat(view.statfs()).isEqualTo(new Statistics(0, 0));
    }

    @Test
    void inodeNumbersAreTheSameOnEveryNodeAndUnique() {
        TestDataset second = dataset("vision/digits@v2", digits.objects());
        PortableView other = view();
        other.show(List.of(second.mount(), digits.mount()));
        view.show(List.of(digits.mount(), second.mount()));
        Set<Long> seen = new HashSet<>();
        for (String path :
                List.of(
                        "/",
                        "/vision",
                        "/vision/digits",
                        "/vision/digits/v1",
                        "/vision/digits/v2",
                        "/vision/digits/v1/train",
                        "/vision/digits/v2/train")) {
            long inode = resolve(path).inode();
            assertThat(inode).isPositive().isEqualTo(Paths.resolve(other, path).inode());
            assertThat(seen.add(inode)).as(path).isTrue();
        }
    }

    @Test
    void anInodeNumberNeverMeansAnotherVersionLater() {
        List<DatasetVersion> twins = versionsWithTheSameHash();
        Mount first = mountAs(twins.getFirst());
        Mount second = mountAs(twins.getLast());
        view.show(List.of(second));
        long number = resolve("/" + second.version().path()).inode();

        view.show(List.of(first, second));
        assertThat(resolve("/" + second.version().path()).inode()).isEqualTo(number);
        long other = resolve("/" + first.version().path()).inode();
        assertThat(other).isNotEqualTo(number);
        view.show(List.of(first));

        assertThat(resolve("/" + first.version().path()).inode()).isEqualTo(other);
        fails(Errno.ENOENT, () -> view.getattr(number));
    }

    private Mount mountAs(DatasetVersion version) {
        return new Mount(version, digits.mount().manifest(), Mount.State.CACHED);
    }

    /**
     * Returns versions with the same hash, in the order of their names. 31 bits are few enough to
     * find some.
     */
    private List<DatasetVersion> versionsWithTheSameHash() {
        Random random = new Random(1);
        Map<Integer, String> byHash = new HashMap<>();
        while (true) {
            String path = "a/b/" + Long.toHexString(random.nextLong() | Long.MIN_VALUE);
            CRC32C crc = new CRC32C();
            String name = path + "@" + digits.mount().manifest().digest().hex();
            crc.update(name.getBytes(StandardCharsets.UTF_8));
            String twin = byHash.put((int) crc.getValue() & Integer.MAX_VALUE, path);
            if (twin != null && !twin.equals(path)) {
                return Stream.of(path, twin)
                        .sorted()
                        .map(each -> DatasetVersion.of("a", "b", each.substring("a/b/".length())))
                        .toList();
            }
        }
    }

    @Test
    void aVersionThatIsEvictedDisappearsButOpenFilesStay() {
        long inode = resolve("/vision/digits/v1/train/1.png").inode();
        OpenFile open = view.open(inode);
        Mount mount = digits.mount();
        view.show(List.of(new Mount(mount.version(), mount.manifest(), Mount.State.EVICTING)));
        assertThat(list("/")).containsExactly(".", "..");
        fails(Errno.ENOENT, () -> resolve("/vision/digits/v1"));
        fails(Errno.ENOENT, () -> view.open(inode));
        assertThat(open.read(0, ByteBuffer.allocate(10))).isEqualTo(10);
    }

    @Test
    void aVersionWithoutItsManifestIsListedAndItsLookupsFail() {
        byDigest.clear();
        assertThat(list("/vision/digits")).containsExactly(".", "..", "v1");
        assertThatThrownBy(() -> resolve("/vision/digits/v1/train"))
                .isInstanceOf(ForebayException.class);
        byDigest.put(digits.file().digest().hex(), digits);
        assertThat(resolve("/vision/digits/v1/train").directory()).isTrue();
    }

    @Test
    void outlineDescribesAVersionUntilItsManifestIsRead() {
        long parent = resolve("/vision/digits").inode();
        Attributes outline = view.outline(parent, "v1").orElseThrow();
        assertThat(view.isHere(parent, "v1")).isTrue();
        assertThat(view.outline(parent, "v2")).isEmpty();
        assertThat(fetches).hasValue(0);

        Attributes version = view.getattr(outline.inode());
        assertThat(version.mode()).isEqualTo(outline.mode());
        assertThat(view.outline(parent, "v1")).isEmpty();
        assertThat(resolve("/vision/digits/v1")).isEqualTo(version);
        assertThat(view.outline(version.inode(), "train")).isEmpty();
    }

    @Test
    void listsALargeDirectoryInPartsFromAnyOffset() {
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        for (int i = 0; i < 3500; i++) {
            objects.put("f%05d".formatted(i), new byte[] {1});
        }
        view.show(List.of(dataset("a/b@c", objects).mount()));
        OpenDirectory open = view.opendir(resolve("/a/b/c").inode());
        List<String> names = new ArrayList<>();
        long[] at = {0};
        long[] halfway = {0};
        boolean[] more = {true};
        while (more[0]) {
            more[0] = false;
            int[] space = {37};
            open.list(
                    at[0],
                    (name, _, _, next) -> {
                        if (space[0]-- == 0) {
                            more[0] = true;
                            return false;
                        }
                        names.add(name);
                        at[0] = next;
                        if (name.equals("f01000")) {
                            halfway[0] = next;
                        }
                        return true;
                    });
        }
        assertThat(names.subList(0, 2)).containsExactly(".", "..");
        assertThat(names.subList(2, names.size())).containsExactlyElementsOf(objects.keySet());
        List<String> again = new ArrayList<>();
        open.list(halfway[0], (name, _, _, _) -> again.add(name) && again.size() < 2);
        assertThat(again).containsExactly("f01001", "f01002");
    }

    @Test
    void aReadThatFailsNamesTheVersionAndThePack() {
        OpenFile file = view.open(resolve("/vision/digits/v1/train/0.png").inode());
        broken = true;
        assertThatThrownBy(() -> file.read(0, ByteBuffer.allocate(10)))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContainingAll(
                        "vision/digits@v1, pack ",
                        digits.packs().keySet().iterator().next().toString(),
                        ": no worker has it");
    }
}
