package dev.forebay.image;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.lake.LakeObject;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageStoreTest {

    private static final SortedMap<String, LakeObject> OBJECTS =
            TestVersion.random(new Random(1), 300);

    @TempDir Path versions;
    @TempDir Path directory;
    private TestVersion one;
    private TestVersion two;
    private ImageStore store;
    private final List<Digest> damaged = new CopyOnWriteArrayList<>();

    @BeforeEach
    void write() {
        one = TestVersion.write(versions, "v1", OBJECTS.values(), 16 << 20, null);
        two = TestVersion.write(versions, "v2", OBJECTS.values(), 16 << 20, null);
        store = store(1 << 30);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private ImageStore store(long limitBytes) {
        return new ImageStore(directory, limitBytes, damaged::add);
    }

    private Digest digest(TestVersion version) throws IOException {
        try (ImageStore.Use use = store.open(version.name(), version.manifest().path())) {
            assertThat(use.file().size()).isEqualTo(version.image().bytes());
            return use.digest();
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    @Test
    void concurrentCallersShareOneWriteOfAnImage() throws Exception {
        try (ExecutorService askers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Digest>> answers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                TestVersion version = i % 2 == 0 ? one : two;
                answers.add(askers.submit(() -> digest(version)));
            }
            for (int i = 0; i < 20; i++) {
                TestVersion version = i % 2 == 0 ? one : two;
                assertThat(answers.get(i).get()).isEqualTo(version.image().digest());
            }
        }
        assertThat(store.written()).isEqualTo(2);
        assertThat(files()).hasSize(2);
    }

    @Test
    void anImageSurvivesARestart() throws IOException {
        digest(one);
        store.close();
        Files.writeString(directory.resolve("writing.unfinished"), "half an image");

        store = store(1 << 30);

        assertThat(digest(one)).isEqualTo(one.image().digest());
        assertThat(store.written()).isZero();
        assertThat(files()).hasSize(1);
    }

    @Test
    void aRestartedStoreRewritesADamagedImage() throws IOException {
        digest(one);
        store.close();
        Files.write(files().getFirst(), new byte[] {1}, StandardOpenOption.WRITE);

        store = store(1 << 30);

        assertThat(digest(one)).isEqualTo(one.image().digest());
        assertThat(store.written()).isEqualTo(1);
        assertThat(Files.mismatch(files().getFirst(), one.image().path())).isEqualTo(-1);
    }

    @Test
    void theStoreRewritesADistrustedImageOnlyIfItIsDamaged() throws IOException {
        digest(one);
        digest(two);
        Path file = requireNonNull(store.copies().get(one.image().digest()));
        Files.write(file, new byte[] {1}, StandardOpenOption.WRITE);

        store.copies().keySet().forEach(store::distrust);
        assertThat(store.copies()).isEmpty();

        assertThat(digest(one)).isEqualTo(one.image().digest());
        assertThat(digest(two)).isEqualTo(two.image().digest());
        assertThat(store.written()).as("the other image was intact").isEqualTo(3);
        assertThat(Files.mismatch(file, one.image().path())).isEqualTo(-1);
        assertThat(store.copies()).containsOnlyKeys(one.image().digest(), two.image().digest());
    }

    @Test
    void anEvictedImageStaysReadableWhileItIsOpen() throws IOException {
        store.close();
        store = store(one.image().bytes() + 100);
        try (ImageStore.Use use = store.open(one.name(), one.manifest().path())) {
            digest(two);
            assertThat(files()).hasSize(1);
            ByteBuffer bytes = ByteBuffer.allocate((int) one.image().bytes());
            assertThat(use.file().read(bytes, 0)).isEqualTo(bytes.capacity());
            assertThat(bytes.array()).isEqualTo(Files.readAllBytes(one.image().path()));
        }
        assertThat(digest(one)).isEqualTo(one.image().digest());
        assertThat(store.written()).isEqualTo(3);

        store.close();
        store = store(one.image().bytes() + 100);
        digest(two);
        assertThat(files()).as("images of the previous process").hasSize(1);
    }

    @Test
    void theStoreRefusesAnImageLargerThanTheLimit() throws IOException {
        store.close();
        store = store(one.image().bytes() - 1);
        assertThatThrownBy(() -> digest(one))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CAPACITY_EXCEEDED));
        assertThat(files()).isEmpty();
    }

    @Test
    void anImageLargerThanTheLimitEvictsNothingAndIsWrittenOnce() throws IOException {
        store.close();
        TestVersion large =
                TestVersion.write(
                        versions,
                        "v3",
                        TestVersion.random(new Random(2), 900).values(),
                        16 << 20,
                        null);
        store = store(large.image().bytes() - 1);
        digest(one);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> digest(large))
                    .isInstanceOfSatisfying(
                            ForebayException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.CAPACITY_EXCEEDED));
        }
        assertThat(store.written()).isEqualTo(2);
        assertThat(store.copies()).containsOnlyKeys(one.image().digest());
    }

    @Test
    void openRetriesAfterAFailedWrite() throws IOException {
        Path manifest = versions.resolve("not yet");
        assertThatThrownBy(() -> store.open(one.name(), manifest))
                .isInstanceOf(ForebayException.class);
        Files.copy(one.manifest().path(), manifest);
        store.open(one.name(), manifest).close();
        assertThat(store.written()).isEqualTo(1);
    }

    /** "How a manifest is verified": a bit of a time changed after the manifest was verified. */
    @Test
    void aDamagedManifestGivesNoImage() throws Exception {
        Path manifest = one.manifest().path();
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + manifest);
                var update = connection.createStatement()) {
            assertThat(update.executeUpdate("UPDATE node SET mtime_ns = mtime_ns + 1"))
                    .isPositive();
        }

        assertThatThrownBy(() -> store.open(one.name(), manifest))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));

        assertThat(damaged).containsExactly(one.manifest().digest());
        assertThat(files()).isEmpty();
    }
}
