package dev.forebay.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.devstack.erofs.ErofsMount;
import dev.forebay.devstack.erofs.ErofsTools;
import dev.forebay.devstack.tool.Toolbox;
import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.sqlite.SqliteManifest;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks images with this machine's kernel and with the tools of the format's authors. */
class ErofsMountIT {

    private static final long PACK_BYTES = 16 << 20;
    private static final int PAGE = 4096;

    @TempDir Path directory;
    private Path mountpoint;

    @BeforeAll
    static void requireEnvironment() {
        ErofsMount.impossible()
                .ifPresent(why -> Assumptions.abort("no image can be mounted here: " + why));
    }

    @BeforeEach
    void makeMountpoint() throws IOException {
        mountpoint = Files.createDirectory(directory.resolve("mnt"));
    }

    @Test
    void aMountShowsTheBytesNamesAndAttributesOfItsManifest() throws IOException {
        for (int round = 0; round < 4; round++) {
            long seed = System.nanoTime();
            SortedMap<String, LakeObject> objects =
                    TestVersion.random(new Random(seed), 50 + 500 * round);
            TestVersion version =
                    TestVersion.write(directory, "v" + round, objects.values(), PACK_BYTES, null);
            List<Path> packs = version.writePacks(directory, objects.values());
            try (ErofsMount mount = ErofsMount.of(version.image().path(), packs, mountpoint)) {
                assertShows(mount.mountpoint(), version, objects, "seed " + seed);
            }
            ErofsTools tools = new ErofsTools(Toolbox.ofThisMachine());
            Path image = version.image().path();
            tools.fsck(image, packs);
            assertThat(tools.dump(image, packs, "-s"))
                    .contains("sb_csum mtime chunked_file device_table")
                    .containsPattern("inode count: +" + version.image().nodes());
            packs.forEach(pack -> assertThat(pack.toFile().delete()).isTrue());
        }
    }

    private static void assertShows(
            Path root, TestVersion version, SortedMap<String, LakeObject> objects, String seed)
            throws IOException {
        Map<String, Path> seen = new TreeMap<>();
        Set<Object> inodes = new HashSet<>();
        try (Stream<Path> tree = Files.walk(root)) {
            tree.forEach(path -> seen.put(root.relativize(path).toString(), path));
        }
        Map<String, Node> nodes = new TreeMap<>();
        try (SqliteManifest manifest = version.open()) {
            collect(manifest, "", manifest.node(Node.ROOT_ID).orElseThrow(), nodes);
        }
        assertThat(seen.keySet()).as(seed).isEqualTo(nodes.keySet());
        for (Map.Entry<String, Node> entry : nodes.entrySet()) {
            Path path = root.resolve(entry.getKey());
            String name = seed + ": " + entry.getKey();
            Node node = entry.getValue();
            Map<String, Object> stat =
                    Files.readAttributes(path, "unix:ino,mode,nlink,size,uid,gid");
            inodes.add(stat.get("ino"));
            assertThat(Files.getLastModifiedTime(path))
                    .as(name)
                    .isEqualTo(FileTime.from(Instant.ofEpochSecond(0, node.mtimeNanos())));
            assertThat(attributes(path)).as(name).isEqualTo(expectedAttributes(version, node));
            switch (node) {
                case Node.Directory _ -> {
                    assertThat(stat).as(name).containsEntry("mode", 0040555);
                    assertThat(stat).as(name).containsEntry("nlink", 2 + directories(path));
                }
                case Node.File file -> {
                    assertThat(stat).as(name).containsEntry("mode", 0100444);
                    assertThat(stat).as(name).containsEntry("nlink", 1);
                    assertThat(stat).as(name).containsEntry("size", file.size());
                    byte[] bytes =
                            TestVersion.bytes(
                                    Objects.requireNonNull(objects.get(entry.getKey()), name));
                    assertThat(Files.readAllBytes(path)).as(name).isEqualTo(bytes);
                    assertThat(mapped(path)).as(name).isEqualTo(bytes);
                }
            }
        }
        assertThat(inodes).as(seed + ": inode numbers").hasSize(nodes.size());
        assertThatThrownBy(() -> Files.getLastModifiedTime(root.resolve("not there")))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Files.createFile(root.resolve("new")))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("Read-only file system");
    }

    private static void collect(
            SqliteManifest manifest, String path, Node node, Map<String, Node> nodes) {
        nodes.put(path, node);
        if (node instanceof Node.Directory) {
            for (Node child : manifest.readdir(node.id(), "", Integer.MAX_VALUE)) {
                String name = path.isEmpty() ? child.name() : path + "/" + child.name();
                collect(manifest, name, child, nodes);
            }
        }
    }

    private static int directories(Path directory) throws IOException {
        try (Stream<Path> children = Files.list(directory)) {
            return (int) children.filter(Files::isDirectory).count();
        }
    }

    private static Map<String, String> attributes(Path path) throws IOException {
        UserDefinedFileAttributeView view =
                Files.getFileAttributeView(path, UserDefinedFileAttributeView.class);
        Map<String, String> attributes = new LinkedHashMap<>();
        for (String name : view.list()) {
            ByteBuffer value = ByteBuffer.allocate(view.size(name));
            view.read(name, value);
            attributes.put(name, new String(value.array(), StandardCharsets.UTF_8));
        }
        return attributes;
    }

    /** The same as in the portable view. */
    private static Map<String, String> expectedAttributes(TestVersion version, Node node) {
        Map<String, String> attributes = new LinkedHashMap<>();
        switch (node) {
            case Node.Directory _ -> {
                attributes.put("forebay.version", version.name().version().toString());
                attributes.put("forebay.manifest", version.manifest().digest().hex());
            }
            case Node.File file -> {
                attributes.put("forebay.key", file.key());
                attributes.put("forebay.etag", file.etag());
                if (file.versionId() != null) {
                    attributes.put("forebay.version-id", file.versionId());
                }
            }
        }
        return attributes;
    }

    private static byte[] mapped(Path path) throws IOException {
        try (FileChannel file = FileChannel.open(path);
                Arena arena = Arena.ofConfined()) {
            return file.map(FileChannel.MapMode.READ_ONLY, 0, file.size(), arena)
                    .toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Test
    void aSecondVersionReusesPacksAndShowsOnlyItsOwnFiles() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        SortedMap<String, LakeObject> objects = TestVersion.random(random, 1500);
        TestVersion first =
                TestVersion.write(directory, "v1", objects.values(), PACK_BYTES / 2, null);
        for (String path : List.copyOf(objects.keySet())) {
            switch (random.nextInt(4)) {
                case 0 -> objects.remove(path);
                case 1 -> TestVersion.put(objects, path, path.endsWith("/") ? 0 : 12_345);
                default -> {}
            }
        }
        TestVersion.put(objects, "one more/new", 100_000);
        TestVersion second =
                TestVersion.write(directory, "v2", objects.values(), PACK_BYTES / 2, first);
        try (SqliteManifest before = first.open();
                SqliteManifest after = second.open()) {
            assertThat(after.packs()).as("seed %d", seed).containsAll(before.packs());
            assertThat(after.packs()).hasSizeGreaterThan(before.packs().size());
        }
        List<Path> packs = second.writePacks(directory, objects.values());
        try (ErofsMount mount = ErofsMount.of(second.image().path(), packs, mountpoint)) {
            assertShows(mount.mountpoint(), second, objects, "seed " + seed);
        }
    }

    @Test
    void inodeNumbersMatchDirectoryEntriesInEveryMount() throws IOException {
        SortedMap<String, LakeObject> objects = TestVersion.random(new Random(3), 500);
        TestVersion version =
                TestVersion.write(directory, "v1", objects.values(), PACK_BYTES, null);
        List<Path> packs = version.writePacks(directory, objects.values());
        Path second = Files.createDirectory(directory.resolve("second"));
        ImageReader image = new ImageReader(version.image().path());
        try (ErofsMount one = ErofsMount.of(version.image().path(), packs, mountpoint);
                ErofsMount two = ErofsMount.of(version.image().path(), packs, second)) {
            for (Map.Entry<String, ImageReader.Found> entry : image.tree().entrySet()) {
                String path = entry.getKey().substring(1);
                Object number = entry.getValue().number();
                for (Path root : List.of(one.mountpoint(), two.mountpoint())) {
                    assertThat(Files.getAttribute(root.resolve(path), "unix:ino"))
                            .as(path)
                            .isEqualTo(number);
                }
            }
        }
    }

    @Test
    void directReadsFailOrReturnTheRightBytes() throws IOException, InterruptedException {
        SortedMap<String, LakeObject> objects = TestVersion.noObjects();
        TestVersion.put(objects, "file", 100_000);
        TestVersion version =
                TestVersion.write(directory, "v1", objects.values(), PACK_BYTES, null);
        List<Path> packs = version.writePacks(directory, objects.values());
        try (ErofsMount mount = ErofsMount.of(version.image().path(), packs, mountpoint)) {
            Path file = mount.mountpoint().resolve("file");
            Path copy = directory.resolve("copy");
            Process dd =
                    new ProcessBuilder("dd", "if=" + file, "of=" + copy, "iflag=direct", "bs=64K")
                            .redirectErrorStream(true)
                            .start();
            String output = new String(dd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (dd.waitFor() == 0) {
                assertThat(Files.readAllBytes(copy))
                        .isEqualTo(TestVersion.bytes(objects.values().iterator().next()));
            } else {
                assertThat(output).contains("failed to open", "Invalid argument");
            }
        }
    }

    @Test
    void anEmptyVersionMountsWithoutDevices() throws IOException {
        SortedMap<String, LakeObject> objects = TestVersion.noObjects();
        TestVersion.put(objects, "empty", 0);
        TestVersion.put(objects, "no files/", 0);
        TestVersion version =
                TestVersion.write(directory, "v1", objects.values(), PACK_BYTES, null);
        try (ErofsMount mount = ErofsMount.of(version.image().path(), List.of(), mountpoint)) {
            assertShows(mount.mountpoint(), version, objects, "");
        }
    }

    @Test
    void readsFilesOfSeveralTebibytes() throws IOException {
        long size = 9L << 40;
        SortedMap<String, LakeObject> objects = TestVersion.noObjects();
        TestVersion.put(objects, "before", PAGE);
        TestVersion.put(objects, "large", size);
        TestVersion version = TestVersion.write(directory, "v1", objects.values(), 16L << 40, null);
        Path pack = directory.resolve("pack");
        List<Long> places = List.of(0L, 4L << 40, (8L << 40) - 4, (8L << 40) + PAGE, size - 8);
        try (FileChannel out = TestVersion.sparse(pack, PAGE + size)) {
            for (long at : places) {
                out.write(ByteBuffer.allocate(8).putLong(0, ~at), PAGE + at);
            }
        }
        try (ErofsMount mount = ErofsMount.of(version.image().path(), List.of(pack), mountpoint);
                FileChannel file = FileChannel.open(mount.mountpoint().resolve("large"))) {
            assertThat(file.size()).isEqualTo(size);
            for (long at : places) {
                ByteBuffer read = ByteBuffer.allocate(8);
                assertThat(file.read(read, at)).isEqualTo(8);
                assertThat(read.getLong(0)).as("at %d", at).isEqualTo(~at);
            }
        }
    }

    @Test
    void mountsHundredsOfPacks() throws IOException {
        int count = 300;
        long packBytes = 8 << 20;
        SortedMap<String, LakeObject> objects = TestVersion.noObjects();
        for (int i = 0; i < count; i++) {
            TestVersion.put(objects, "%03d".formatted(i), packBytes);
        }
        TestVersion version = TestVersion.write(directory, "v1", objects.values(), packBytes, null);
        List<Path> packs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Path pack = directory.resolve("pack-" + i);
            try (FileChannel out = TestVersion.sparse(pack, packBytes)) {
                out.write(ByteBuffer.allocate(4).putInt(0, i + 1), 0);
            }
            packs.add(pack);
        }
        try (ErofsMount mount = ErofsMount.of(version.image().path(), packs, mountpoint)) {
            for (int i = 0; i < count; i++) {
                Path path = mount.mountpoint().resolve("%03d".formatted(i));
                try (FileChannel file = FileChannel.open(path)) {
                    ByteBuffer read = ByteBuffer.allocate(4);
                    file.read(read);
                    assertThat(read.getInt(0)).isEqualTo(i + 1);
                }
            }
        }
    }

    @Test
    void findsEveryNameInAFolderOfTenThousandFiles() throws IOException {
        assertFindsNames(10_000, 1);
    }

    /** A release is tested with a million files. */
    @Test
    void findsNamesInALargeFolder() throws IOException {
        assertFindsNames(Integer.getInteger("forebay.folder.files", 200_000), 101);
    }

    /** Lists a folder of {@code count} files, and looks up every {@code step}-th of them. */
    private void assertFindsNames(int count, int step) throws IOException {
        SortedMap<String, LakeObject> objects = TestVersion.noObjects();
        for (int i = 0; i < count; i++) {
            TestVersion.put(objects, "folder/name-" + Integer.toHexString(i * 0x9E3779B1), i % 2);
        }
        TestVersion version = TestVersion.write(directory, "v1", objects.values(), 16L << 40, null);
        Path pack = directory.resolve("pack");
        TestVersion.sparse(pack, count / 2 * (long) PAGE).close();
        try (ErofsMount mount = ErofsMount.of(version.image().path(), List.of(pack), mountpoint)) {
            Set<String> listed = new HashSet<>();
            try (DirectoryStream<Path> folder =
                    Files.newDirectoryStream(mount.mountpoint().resolve("folder"))) {
                folder.forEach(path -> listed.add("folder/" + path.getFileName()));
            }
            assertThat(listed).hasSize(count);
            assertThat(listed.equals(objects.keySet())).isTrue();
            int i = 0;
            for (LakeObject object : objects.values()) {
                if (i++ % step == 0) {
                    String path = object.key().substring(TestVersion.PREFIX.length());
                    assertThat(Files.size(mount.mountpoint().resolve(path)))
                            .isEqualTo(object.size());
                    assertThat(mount.mountpoint().resolve(path + "-")).doesNotExist();
                }
            }
        }
    }
}
