package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares real mounts of a tree with difficult names and sizes, one per transport, with the lake:
 * "The file tree" in docs/semantics.md.
 */
@ExtendWith(SharedStack.class)
@ParameterizedClass
@ValueSource(strings = {RunningStack.KOREA, RunningStack.VIRGINIA})
class MountedTreeIT {

    private static final int CHUNK = 8 << 20;
    private static final String VERSION = "tree/hostile@v1";

    /** More than one page of a lake listing, or one reply to readdir, holds. */
    private static final int MANY = 2_500;

    private static final Map<String, byte[]> TREE = hostileTree();

    private final RunningStack stack;
    private final String region;
    private final Path mounted;

    MountedTreeIT(String region, RunningStack stack) {
        this.stack = stack;
        this.region = region;
        this.mounted = stack.awaitMounted(region, VERSION);
    }

    @BeforeAll
    static void fill(RunningStack stack) throws Exception {
        stack.lake().putAll("hostile/", TREE);
        stack.api().register("tree/hostile", "s3://datasets/hostile/", Duration.ofHours(1));
        stack.api().ensure(VERSION, RunningStack.KOREA);
        stack.api().ensure(VERSION, RunningStack.VIRGINIA);
    }

    private static Map<String, byte[]> hostileTree() {
        Map<String, byte[]> tree = new TreeMap<>();
        int[] sizes = {
            0,
            1,
            4095,
            4096,
            4097,
            65535,
            65536,
            65537,
            CHUNK - 1,
            CHUNK,
            CHUNK + 1,
            3 * CHUNK + 12345
        };
        for (int size : sizes) {
            tree.put("sizes/" + size, bytes(size, size));
        }
        for (int i = 0; i < 300; i++) {
            tree.put("tiny/%04d".formatted(i), bytes(i, i));
        }
        for (int i = 0; i < MANY; i++) {
            tree.put(
                    "many/%05d.txt".formatted(i),
                    Integer.toString(i).getBytes(StandardCharsets.UTF_8));
        }
        tree.put("odd/blank and+plus%percent&amp;'quote\"#?", bytes(71, 10));
        tree.put("odd/new\nline\ttab", bytes(72, 11));
        tree.put("odd/한국어/데이터.txt", bytes(73, 12));
        tree.put("odd/é", bytes(74, 13));
        tree.put("odd/e\u0301", bytes(75, 14));
        tree.put("odd/😀.bin", bytes(76, 15));
        tree.put("odd/-rf", bytes(77, 16));
        tree.put("odd/.hidden", bytes(78, 17));
        tree.put("odd/" + "n".repeat(255), bytes(79, 18));
        tree.put("deep/" + "d/".repeat(100) + "leaf", bytes(80, 19));
        return tree;
    }

    /**
     * Without this, a wrong configuration would test one transport twice. Only jnr loads libfuse.
     */
    @Test
    void eachRegionUsesItsConfiguredTransport() throws IOException {
        Path maps = Path.of("/proc/" + stack.region(region).fuse().pid() + "/maps");
        assertThat(Files.readString(maps).contains("libfuse"))
                .isEqualTo(region.equals(RunningStack.VIRGINIA));
    }

    /** "A mount shows the manifest's bytes or an error", "Paths", "Names". */
    @Test
    void theMountShowsEveryObjectWithItsBytesAndNothingElse() throws IOException {
        Map<String, byte[]> seen = new TreeMap<>();
        try (Stream<Path> files = Files.walk(mounted)) {
            files.filter(Files::isRegularFile)
                    .forEach(file -> seen.put(mounted.relativize(file).toString(), read(file)));
        }
        assertThat(seen.keySet()).isEqualTo(TREE.keySet());
        TREE.forEach((path, content) -> assertThat(seen.get(path)).as(path).isEqualTo(content));
    }

    /** "A mount shows the manifest's bytes or an error": any range, in any order. */
    @Test
    void readsOfRandomRangesReturnTheRightBytes() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int size = 3 * CHUNK + 12345;
        String path = "sizes/" + size;
        byte[] content = bytes(size, size);
        try (FileChannel file = FileChannel.open(mounted.resolve(path))) {
            for (int i = 0; i < 300; i++) {
                int from = random.nextInt(content.length + 10);
                ByteBuffer buffer = ByteBuffer.allocate(1 + random.nextInt(300_000));
                int wanted = Math.min(buffer.remaining(), content.length - from);
                int got = 0;
                for (int n; (n = file.read(buffer, from + got)) > 0; ) {
                    got += n;
                }
                assertThat(got).as("seed %d, round %d", seed, i).isEqualTo(Math.max(0, wanted));
                if (got > 0) {
                    assertThat(ByteBuffer.wrap(content, from, got))
                            .as("seed %d, round %d", seed, i)
                            .isEqualTo(buffer.flip());
                }
            }
        }
    }

    /** "Names": a folder whose listing needs several replies. */
    @Test
    void aLargeFolderListsEachNameOnce() throws IOException {
        try (Stream<Path> files = Files.list(mounted.resolve("many"))) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .doesNotHaveDuplicates()
                    .hasSize(MANY);
        }
    }

    /** "Attributes". */
    @Test
    void fileAttributesMatchTheObject() throws IOException {
        Path file = mounted.resolve("sizes/4097");
        assertThat(Files.size(file)).isEqualTo(4097);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("r--r--r--");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(mounted)))
                .isEqualTo("r-xr-xr-x");
        assertThat(Files.getLastModifiedTime(file).toInstant())
                .isBetween(
                        java.time.Instant.now().minus(Duration.ofHours(1)),
                        java.time.Instant.now().plusSeconds(5));
        UserDefinedFileAttributeView attributes =
                Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        assertThat(attributes.list()).contains("forebay.key", "forebay.etag");
        assertThat(attribute(attributes, "forebay.key")).isEqualTo("hostile/sizes/4097");
        UserDefinedFileAttributeView directory =
                Files.getFileAttributeView(mounted, UserDefinedFileAttributeView.class);
        assertThat(attribute(directory, "forebay.version")).isEqualTo(VERSION);
    }

    /** "Nothing can be written". */
    @Test
    void everyMutationIsRefused() {
        Path file = mounted.resolve("sizes/1");
        assertReadOnly(() -> Files.write(file, new byte[1]));
        assertReadOnly(() -> Files.createFile(mounted.resolve("new")));
        assertReadOnly(() -> Files.createDirectory(mounted.resolve("newdir")));
        assertReadOnly(() -> Files.delete(file));
        assertReadOnly(() -> Files.move(file, mounted.resolve("moved")));
        assertReadOnly(() -> Files.createSymbolicLink(mounted.resolve("link"), file));
        assertReadOnly(
                () ->
                        Files.setPosixFilePermissions(
                                file, PosixFilePermissions.fromString("rwxrwxrwx")));
        assertThat(read(file)).isEqualTo(TREE.get("sizes/1"));
    }

    /** "Errors". */
    @Test
    void lookupsOfMissingOrInvalidPathsFail() {
        assertThatThrownBy(() -> Files.size(mounted.resolve("none")))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Files.newDirectoryStream(mounted.resolve("sizes/1")))
                .isInstanceOf(NotDirectoryException.class);
        assertThatThrownBy(() -> Files.size(mounted.resolve("sizes/1/x")))
                .isInstanceOf(FileSystemException.class);
        assertThatThrownBy(() -> Files.size(mounted.resolve("n".repeat(256))))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("too long");
    }

    private static void assertReadOnly(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable mutation) {
        assertThatThrownBy(mutation)
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("Read-only file system");
    }

    private static String attribute(UserDefinedFileAttributeView view, String name)
            throws IOException {
        ByteBuffer value = ByteBuffer.allocate(view.size(name));
        view.read(name, value);
        return StandardCharsets.UTF_8.decode(value.flip()).toString();
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new AssertionError("cannot read " + file, e);
        }
    }
}
