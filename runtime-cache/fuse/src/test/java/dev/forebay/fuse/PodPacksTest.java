package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.chunkstore.NeighbourStore;
import dev.forebay.fuse.fs.Manifests;
import dev.forebay.fuse.nodecache.NodePacks;
import dev.forebay.fuse.nodecache.NodePacksConfig;
import dev.forebay.fuse.read.LocalChunks;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.linux.SystemCallException;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init") // written before each
class PodPacksTest {

    /** Locks a file, reports it, and waits for its end. */
    private static final String LOCKS =
            "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.lockf(f, fcntl.LOCK_EX);"
                    + " print('+', flush=True); sys.stdin.read()";

    @TempDir private Path directory;
    private final CountDownLatch refused = new CountDownLatch(1);
    private final CountDownLatch whole = new CountDownLatch(1);
    private volatile boolean down;
    private TestDataset dataset;

    @BeforeEach
    void write() {
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        objects.put("f", TestDataset.bytes(100_000, 1));
        dataset = TestDataset.write(directory, DatasetVersion.parse("ns/data@v1"), objects);
    }

    private PodPacks packs() {
        return packs(true);
    }

    private PodPacks packs(boolean eager) {
        return new PodPacks(
                new NodePacksConfig(
                        directory.resolve("packs"),
                        1L << 30,
                        1L << 40,
                        Duration.ofMillis(10),
                        Duration.ofMinutes(1),
                        0,
                        Duration.ofMinutes(1),
                        false),
                eager,
                new Manifests(
                        new ManifestCache(
                                directory.resolve("manifests"),
                                1L << 30,
                                (_, target) -> fetchManifest(target))),
                new LocalChunks(
                        new NeighbourStore(List.of()),
                        (_, pack, from, to, target) -> fetch(pack, from, to, target)),
                _ -> whole.countDown());
    }

    private void fetchManifest(Path target) {
        try {
            Files.copy(dataset.file().path(), target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void fetch(PackId pack, long from, long to, ByteBuffer target) {
        if (down) {
            refused.countDown();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "no worker");
        }
        byte[] bytes = Objects.requireNonNull(dataset.packs().get(pack));
        target.put(bytes, (int) from, (int) (to - from));
    }

    @Test
    void aNodeCacheThatCannotBeOpenedCountsAsFailed() throws Exception {
        Files.createFile(directory.resolve("packs"));
        try (PodPacks packs = packs()) {
            assertThat(packs.failed()).isFalse();
            packs.openInTurn();
            assertThat(packs.failed()).isTrue();
            assertThat(packs.off()).contains(NoCacheReason.DISK);
            assertThat(packs.open()).isEmpty();
        }
    }

    @Test
    void cacheOffDistinguishesTooFewDescriptorsFromDiskErrors() {
        IOException tooMany = new SystemCallException("open a pack", ErrorNumber.EMFILE);
        IOException broken = new SystemCallException("open a pack", ErrorNumber.EIO);
        assertThat(NoCacheReason.because(unavailable(tooMany)))
                .isEqualTo(NoCacheReason.DESCRIPTORS);
        assertThat(
                        NoCacheReason.because(
                                unavailable(
                                        new FileSystemException("p", null, "Too many open files"))))
                .isEqualTo(NoCacheReason.DESCRIPTORS);
        assertThat(NoCacheReason.because(unavailable(broken))).isEqualTo(NoCacheReason.DISK);
    }

    private static ForebayException unavailable(IOException cause) {
        return new ForebayException(ErrorCode.UNAVAILABLE, "cannot open the node cache", cause);
    }

    @Test
    void openInTurnKeepsANodeCacheThatIsOpen() throws Exception {
        try (PodPacks packs = packs()) {
            packs.openNow();
            NodePacks open = packs.open().orElseThrow();
            packs.openInTurn();
            assertThat(packs.failed()).isFalse();
            assertThat(packs.open()).containsSame(open);
        }
    }

    @Test
    void aFailedPrewarmIsRetriedWithoutAnotherRead() throws Exception {
        down = true;
        try (PodPacks packs = packs()) {
            packs.update(List.of(dataset.mount()), false);
            packs.openNow();
            assertThat(refused.await(30, TimeUnit.SECONDS)).isTrue();
            down = false;
            assertThat(whole.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** The kernel keeps the pages that were read then, and may never ask for them again. */
    @Test
    void aVersionReadWhileTheDirectoryIsLockedIsPrewarmedLater() throws Exception {
        Path taken = Files.createDirectory(directory.resolve("packs")).resolve("lock");
        Process other =
                new ProcessBuilder("python3", "-c", LOCKS, taken.toString())
                        .redirectErrorStream(true)
                        .start();
        try (PodPacks packs = packs(false)) {
            assertThat(other.getInputStream().read()).isEqualTo('+');
            packs.update(List.of(dataset.mount()), false);
            packs.serve();
            packs.use(dataset.file().digest());
            assertThat(packs.open()).isEmpty();

            other.destroy();

            assertThat(whole.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            other.destroyForcibly();
        }
    }

    @Test
    void aReadBeforeThePodServesStartsNoPrewarm() throws Exception {
        try (PodPacks packs = packs(false)) {
            packs.update(List.of(dataset.mount()), false);
            packs.openNow();
            NodePacks open = packs.open().orElseThrow();

            packs.use(dataset.file().digest());
            assertThat(open.isUndecided(dataset.file().digest())).isFalse();
            assertThat(open.isWhole(dataset.file().digest())).isFalse();
        }
    }
}
