package dev.forebay.manifest.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.forebay.manifest.Digests;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.sqlite.IdleSessions;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.manifest.write.Listings;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestCacheTest {

    @TempDir Path directory;

    private final AtomicInteger fetches = new AtomicInteger();

    private ManifestFile written(String key) {
        return Listings.write(directory.resolve("source-" + key), "", List.of(key));
    }

    private ManifestRef ref(ManifestFile file) {
        return file.ref("bucket");
    }

    private ManifestCache cache(long limit) {
        return new ManifestCache(
                directory.resolve("cache"),
                limit,
                (ref, target) -> {
                    fetches.incrementAndGet();
                    try (var files = Files.newDirectoryStream(directory, "source-*")) {
                        for (Path file : files) {
                            if (ManifestFile.digestOf(file).equals(ref.digest())) {
                                Files.copy(file, target);
                            }
                        }
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
    }

    @Test
    void concurrentCallersShareOneFetch() throws Exception {
        ManifestFile file = written("a");
        ManifestCache cache = cache(1 << 20);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<CachedManifest>> opening = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                opening.add(threads.submit(() -> cache.open(ref(file))));
            }
            for (Future<CachedManifest> each : opening) {
                try (CachedManifest manifest = each.get()) {
                    assertThat(manifest.objects()).isEqualTo(1);
                    assertThat(manifest.lookup(Node.ROOT_ID, "a")).isPresent();
                }
            }
        }
        assertThat(fetches).hasValue(1);
        try (CachedManifest again = cache.open(ref(file))) {
            assertThat(again.file()).hasSameBinaryContentAs(file.path());
        }
        assertThat(fetches).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pack_offset = pack_offset + 1",
                "size = size - 1",
                "key = 'b'",
                "etag = 'other'",
                "version_id = 'other'"
            })
    void aManifestDamagedWhileOpenFailsAndIsFetchedAgain(String damage) throws Exception {
        ManifestFile file = written("a");
        ManifestCache cache = cache(1 << 20);
        try (CachedManifest first = cache.open(ref(file))) {
            try (Connection connection =
                            DriverManager.getConnection("jdbc:sqlite:" + first.file());
                    Statement update = connection.createStatement()) {
                assertThat(update.executeUpdate("UPDATE node SET " + damage + " WHERE size > 0"))
                        .isEqualTo(1);
            }

            assertCorrupt(() -> first.lookup(Node.ROOT_ID, "a"));
            assertCorrupt(() -> first.segments(first.packs().getFirst().id(), 0, 1 << 20));
            assertThat(cache.isHere(ref(file))).isFalse();

            try (CachedManifest second = cache.open(ref(file))) {
                assertThat(second.lookup(Node.ROOT_ID, "a")).isPresent();
                assertThat(second.segments(second.packs().getFirst().id(), 0, 1 << 20)).hasSize(1);
            }
            assertThat(fetches).hasValue(2);
        }
    }

    private static void assertCorrupt(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));
    }

    @Test
    void isHereIsTrueOnceThisProcessHasVerifiedTheManifest() {
        ManifestRef ref = ref(written("a"));
        ManifestCache cache = cache(1 << 20);
        assertThat(cache.isHere(ref)).isFalse();
        cache.open(ref).close();
        assertThat(cache.isHere(ref)).isTrue();
        // Comparing it with its digest may take long.
        assertThat(cache(1 << 20).isHere(ref)).isFalse();
    }

    @Test
    void aRestartReusesIntactCopiesAndReplacesDamagedOnes() throws IOException {
        ManifestFile file = written("a");
        Path copy;
        try (CachedManifest manifest = cache(1 << 20).open(ref(file))) {
            copy = manifest.file();
        }
        Files.writeString(copy.resolveSibling("x.unfinished"), "half");
        // Simulates a fetcher that was killed.
        Files.writeString(copy.resolveSibling("x.unfinished.12.part"), "half");
        cache(1 << 20).open(ref(file)).close();
        assertThat(fetches).hasValue(1);
        assertThat(copy.resolveSibling("x.unfinished")).doesNotExist();
        assertThat(copy.resolveSibling("x.unfinished.12.part")).doesNotExist();

        byte[] bytes = Files.readAllBytes(copy);
        bytes[5000] ^= 1;
        Files.write(copy, bytes);
        cache(1 << 20).open(ref(file)).close();
        assertThat(fetches).hasValue(2);
        assertThat(copy).hasSameBinaryContentAs(file.path());
    }

    /** Each session has its own memory for pages. */
    @Test
    void openManifestsShareABoundedNumberOfSessions() throws IOException {
        ManifestCache cache = cache(1 << 30);
        List<CachedManifest> open = new ArrayList<>();
        for (int i = 0; i < 2 * IdleSessions.MOST; i++) {
            open.add(cache.open(ref(written("k" + i))));
        }

        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < open.size(); i++) {
                assertThat(open.get(i).lookup(Node.ROOT_ID, "k" + i)).isPresent();
            }
            assertThat(sessionsOpen()).isEqualTo(IdleSessions.MOST);
        }

        open.forEach(CachedManifest::close);
        assertThat(sessionsOpen()).isZero();
    }

    /** Simulates a manifest of a later release. */
    @Test
    void openingAManifestOfAnotherFormatLeavesNoFileOpen() throws Exception {
        ManifestFile file = written("a");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file.path());
                Statement update = connection.createStatement()) {
            update.executeUpdate("UPDATE meta SET value = '2' WHERE key = 'format'");
        }

        assertCorrupt(() -> SqliteManifest.open(file.path()));
        assertThat(sessionsOpen()).isZero();
    }

    /** Returns how many descriptors of this process belong to manifests. */
    private long sessionsOpen() throws IOException {
        long count = 0;
        try (DirectoryStream<Path> descriptors =
                Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                try {
                    if (Files.readSymbolicLink(descriptor).startsWith(directory)) {
                        count++;
                    }
                } catch (NoSuchFileException closedMeanwhile) {
                    // The descriptor was closed meanwhile.
                }
            }
        }
        return count;
    }

    @Test
    void theCacheFetchesADeletedManifestAgain() throws IOException {
        ManifestFile file = written("a");
        ManifestCache cache = cache(1 << 20);
        Path copy;
        try (CachedManifest first = cache.open(ref(file))) {
            copy = first.file();
        }
        Files.delete(copy);

        try (CachedManifest second = cache.open(ref(file))) {
            assertThat(second.lookup(Node.ROOT_ID, "a")).isPresent();
        }
        assertThat(copy).exists();
        assertThat(fetches).hasValue(2);
    }

    @Test
    void theCacheFetchesAgainAManifestDeletedWhileOpen() throws IOException {
        ManifestFile file = written("a");
        ManifestCache cache = cache(1 << 30);
        try (CachedManifest first = cache.open(ref(file))) {
            Files.delete(first.file());
            // An open manifest stays readable until others need its session.
            List<CachedManifest> others = new ArrayList<>();
            for (int i = 0; i < IdleSessions.MOST; i++) {
                others.add(cache.open(ref(written("k" + i))));
            }
            assertThatThrownBy(() -> first.lookup(Node.ROOT_ID, "a"))
                    .isInstanceOf(ForebayException.class);

            try (CachedManifest second = cache.open(ref(file))) {
                assertThat(second.lookup(Node.ROOT_ID, "a")).isPresent();
            }
            others.forEach(CachedManifest::close);
        }
    }

    @Test
    void aDistrustedManifestIsFetchedAgainOnlyIfItIsDamaged() throws IOException {
        ManifestFile file = written("a");
        ManifestCache cache = cache(1 << 20);
        try (CachedManifest inUse = cache.open(ref(file))) {
            Path copy = inUse.file();
            assertThat(cache.copies()).containsExactly(entry(file.digest(), copy));

            cache.distrust(file.digest());
            assertThat(cache.copies()).isEmpty();
            cache.open(ref(file)).close();
            assertThat(fetches).as("the copy is intact").hasValue(1);

            byte[] harmed = Files.readAllBytes(copy);
            harmed[harmed.length / 2] ^= 1;
            Files.write(copy, harmed);
            cache.distrust(file.digest());
            cache.open(ref(file)).close();
            assertThat(fetches).hasValue(2);
            assertThat(cache.copies()).containsKey(file.digest());
            assertThat(Digests.of(copy)).isEqualTo(file.digest());
        }
    }

    @Test
    void theCacheRefusesBytesWithAnotherDigest() {
        ManifestFile file = written("a");
        ManifestCache lying =
                new ManifestCache(
                        directory.resolve("cache"),
                        1 << 20,
                        (ref, target) -> {
                            try {
                                Files.write(target, new byte[100]);
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
        assertThatThrownBy(() -> lying.open(ref(file)))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));
        assertThat(directory.resolve("cache")).isEmptyDirectory();
        assertThat(cache(1 << 20).open(ref(file)).objects()).isEqualTo(1);
    }

    @Test
    void theCacheEvictsOnlyManifestsThatAreNotOpen() throws IOException {
        ManifestFile a = written("a");
        ManifestFile b = written("b");
        ManifestFile c = written("c");
        ManifestCache cache = cache(2 * Files.size(a.path()));
        try (CachedManifest held = cache.open(ref(a))) {
            cache.open(ref(b)).close();
            cache.open(ref(c)).close();
            assertThat(held.lookup(Node.ROOT_ID, "a")).isPresent();
            assertThat(fetches).hasValue(3);
            try (CachedManifest alsoHeld = cache.open(ref(c))) {
                assertThat(alsoHeld.file()).exists();
                assertThat(fetches).hasValue(3);
                assertThatThrownBy(() -> cache.open(ref(b)))
                        .isInstanceOfSatisfying(
                                ForebayException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.CAPACITY_EXCEEDED));
            }
        }
        cache.open(ref(b)).close();
        assertThat(fetches).hasValue(5);
    }

    /** The fetch continues however long it takes, even if no caller waits for it. */
    @Test
    void aCallerTimesOutWhileTheFetchContinues() throws Exception {
        ManifestFile file = written("a");
        CountDownLatch arrives = new CountDownLatch(1);
        ManifestCache cache =
                new ManifestCache(
                        directory.resolve("cache"),
                        1 << 20,
                        (ref, target) -> {
                            fetches.incrementAndGet();
                            try {
                                arrives.await();
                                Files.copy(file.path(), target);
                            } catch (IOException | InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        });
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> cache.open(ref(file), Duration.ofMillis(50)))
                    .isInstanceOfSatisfying(
                            ForebayException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                    .hasMessageContaining("still being fetched");
        }
        arrives.countDown();
        try (CachedManifest manifest = cache.open(ref(file), Duration.ofSeconds(30))) {
            assertThat(manifest.lookup(Node.ROOT_ID, "a")).isPresent();
        }
        assertThat(fetches).hasValue(1);
    }

    @Test
    void theCacheRetriesAFetchThatFailedAfterItsCallerTimedOut() throws Exception {
        ManifestFile file = written("a");
        CountDownLatch fails = new CountDownLatch(1);
        ManifestCache cache =
                new ManifestCache(
                        directory.resolve("cache"),
                        1 << 20,
                        (ref, target) -> {
                            try {
                                if (fetches.incrementAndGet() == 1) {
                                    fails.await();
                                    throw new ForebayException(ErrorCode.UNAVAILABLE, "first");
                                }
                                Files.copy(file.path(), target);
                            } catch (IOException | InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        });
        assertThatThrownBy(() -> cache.open(ref(file), Duration.ofMillis(50)))
                .hasMessageContaining("still being fetched");
        fails.countDown();
        try {
            cache.open(ref(file), Duration.ofSeconds(30)).close();
        } catch (ForebayException theFetchUnderWay) {
            assertThat(theFetchUnderWay).hasMessage("first");
        }
        try (CachedManifest manifest = cache.open(ref(file), Duration.ofSeconds(30))) {
            assertThat(manifest.objects()).isEqualTo(1);
        }
    }
}
