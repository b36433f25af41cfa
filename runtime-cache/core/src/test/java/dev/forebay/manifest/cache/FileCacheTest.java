package dev.forebay.manifest.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Complements the tests of the caches of manifests and images. */
class FileCacheTest {

    private static final Digest KEY = new Digest("ab".repeat(32));
    private static final byte[] BYTES = "the bytes".getBytes(StandardCharsets.UTF_8);

    @TempDir private Path directory;
    private final AtomicInteger written = new AtomicInteger();

    private FileCache cache(long limitBytes, Executor threads) {
        return new FileCache(directory, "kind", limitBytes, threads);
    }

    private Digest write(Path target) {
        written.incrementAndGet();
        try {
            return Digest.of(Files.readAllBytes(Files.write(target, BYTES)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theNameOfAFileHasItsDigestAndItsKey() {
        Digest digest = Digest.of(BYTES);
        FileCache cache = cache(1 << 20, Runnable::run);
        try (FileCache.Use byKey = cache.open(KEY, this::write);
                FileCache.Use byDigest = cache.open(digest, this::write)) {
            assertThat(byKey.file())
                    .hasFileName("%s.%s.kind".formatted(digest, KEY))
                    .hasBinaryContent(BYTES);
            assertThat(byDigest.file()).hasFileName(digest + ".kind").hasBinaryContent(BYTES);
            assertThat(byKey.digest()).isEqualTo(digest);
        }

        FileCache next = cache(1 << 20, Runnable::run);
        assertThat(next.isHere(KEY)).isFalse();
        next.open(KEY, this::write).close();
        next.open(digest, this::write).close();
        assertThat(next.isHere(KEY)).isTrue();
        assertThat(written).as("files of an earlier process are used").hasValue(2);
    }

    @Test
    void aFileLargerThanTheLimitIsProvidedOnce() {
        FileCache cache = cache(BYTES.length - 1, Runnable::run);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> cache.open(KEY, this::write))
                    .isInstanceOfSatisfying(
                            ForebayException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.CAPACITY_EXCEEDED));
        }
        assertThat(written).hasValue(1);
        assertThat(directory).isEmptyDirectory();
    }

    /** The cache remembers a limited number of them. */
    @Test
    void aLargeFileIsProvidedAgainAfterAThousandOthers() {
        FileCache cache = cache(BYTES.length - 1, Runnable::run);
        for (int i = 0; i <= 1_000; i++) {
            Digest key = Digest.of(Integer.toString(i).getBytes(UTF_8));
            assertThatThrownBy(() -> cache.open(key, this::write))
                    .isInstanceOf(ForebayException.class);
        }
        Digest last = Digest.of("1000".getBytes(UTF_8));
        assertThatThrownBy(() -> cache.open(last, this::write))
                .isInstanceOf(ForebayException.class);
        assertThat(written).hasValue(1_001);

        Digest first = Digest.of("0".getBytes(UTF_8));
        assertThatThrownBy(() -> cache.open(first, this::write))
                .isInstanceOf(ForebayException.class);
        assertThat(written).hasValue(1_002);
    }

    @Test
    void openTriesAgainAfterALackOfThreads() {
        AtomicInteger tasks = new AtomicInteger();
        Executor busyOnce =
                task -> {
                    if (tasks.incrementAndGet() == 1) {
                        throw new RejectedExecutionException("simulated");
                    }
                    task.run();
                };
        FileCache cache = cache(1 << 20, busyOnce);

        assertThatThrownBy(() -> cache.open(KEY, this::write))
                .hasRootCauseInstanceOf(RejectedExecutionException.class);
        cache.open(KEY, this::write).close();

        assertThat(cache.copies()).containsOnlyKeys(Digest.of(BYTES));
    }

    @Test
    void aDamagedFileIsReplacedAndItsUsersContinue() throws IOException {
        FileCache cache = cache(1 << 20, Runnable::run);
        try (FileCache.Use use = cache.open(KEY, this::write)) {
            Files.write(use.file(), new byte[] {1});
            cache.distrust(use.digest());
            assertThat(cache.copies()).isEmpty();

            cache.open(KEY, this::write).close();

            assertThat(use.file()).hasBinaryContent(BYTES);
            assertThat(written).hasValue(2);
        }
    }
}
