package dev.forebay.worker.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.Dropped;
import dev.forebay.chunkstore.StoreLimits;
import dev.forebay.chunkstore.file.ValidBlocks;
import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.manifest.write.ManifestWriter;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrphanChunkCollectorTest {

    private static final int CHUNK = 8192;

    @TempDir Path directory;

    private final Map<String, Path> manifests = new HashMap<>();
    private final AtomicBoolean inTouch = new AtomicBoolean(true);
    private ChunkStore store;
    private ManifestCache cache;
    private MountedVersions versions;
    private OrphanChunkCollector sweep;
    private Version stays;
    private Version left;

    private record Version(Mount mount, PackId pack) {}

    @BeforeEach
    void open() {
        store =
                ChunkStore.open(
                        List.of(directory.resolve("store")),
                        new StoreLimits(64 << 20, 1_000),
                        _ -> false);
        cache =
                new ManifestCache(
                        directory.resolve("manifests"),
                        1 << 20,
                        (ref, target) -> copy(ref.digest().hex(), target));
        versions = new MountedVersions(cache, 4, () -> {});
        sweep =
                new OrphanChunkCollector(
                        store, versions, inTouch::get, Duration.ofHours(1), 1L << 40);
        stays = version("stays");
        left = version("left");
        store(stays.pack, 1);
        store(left.pack, 3);
    }

    @AfterEach
    void close() {
        sweep.close();
        versions.close();
        store.close();
    }

    @Test
    void theSweepRemovesChunksThatNoVersionUsesInTwoScans() {
        mounted(stays);

        sweep.sweepOnce();
        assertThat(store.packs()).containsExactlyInAnyOrder(stays.pack, left.pack);
        sweep.sweepOnce();

        assertThat(store.packs()).containsExactly(stays.pack);
        assertThat(sweep.total()).isEqualTo(new Dropped(3, 3L * CHUNK));
    }

    @Test
    void theSweepRemovesNothingThatARowOfALaterReleaseMayProtect() {
        Set<String> keys = Set.of("mounts/ns/data/left");
        mounted(keys, stays);
        sweep.sweepOnce();
        sweep.sweepOnce();
        assertThat(store.packs()).containsExactlyInAnyOrder(stays.pack, left.pack);

        // The table changes between the scan and the removal.
        mounted(stays);
        sweep.sweepOnce();
        mounted(keys, stays);
        sweep.sweepOnce();
        assertThat(store.packs()).containsExactlyInAnyOrder(stays.pack, left.pack);
    }

    @Test
    void theSweepRemovesUnusedChunksOfAPackThatIsStillUsed() {
        store(stays.pack, 3);
        mounted(stays, left);

        sweep.sweepOnce();
        assertThat(store.chunks(stays.pack)).hasSize(3);
        sweep.sweepOnce();

        assertThat(store.chunks(stays.pack)).containsExactly(new ChunkId(stays.pack, 0));
        assertThat(store.chunks(left.pack)).containsExactly(new ChunkId(left.pack, 0));
    }

    @Test
    void aSecondScanDoesNotNeedTheManifestsAgain() throws IOException {
        mounted(stays);
        sweep.sweepOnce();

        manifests.clear();
        cache.distrust(digest(stays));
        try (DirectoryStream<Path> files =
                Files.newDirectoryStream(directory.resolve("manifests"))) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        assertThatThrownBy(() -> cache.open(stays.mount.manifest()))
                .isInstanceOf(ForebayException.class);
        sweep.sweepOnce();

        assertThat(store.packs()).containsExactly(stays.pack);
    }

    @Test
    void theSweepRemovesNothingWhileTheRegionIsUnknownOrEtcdIsUnreachable() {
        sweep.sweepOnce();
        sweep.sweepOnce();
        mounted(stays);
        inTouch.set(false);
        sweep.sweepOnce();
        sweep.sweepOnce();
        inTouch.set(true);
        sweep.sweepOnce();

        assertThat(store.packs()).contains(left.pack);
    }

    /** Each scan asks whether etcd is connected, and so does each removal. */
    @Test
    void theSweepStopsWhenEtcdBecomesUnreachableDuringAScan() {
        AtomicInteger asked = new AtomicInteger();
        int twoLooksAndOneRemoval = 3;
        try (OrphanChunkCollector losing =
                new OrphanChunkCollector(
                        store,
                        versions,
                        () -> asked.incrementAndGet() <= twoLooksAndOneRemoval,
                        Duration.ofHours(1),
                        1L << 40)) {
            mounted(stays);
            losing.sweepOnce();
            losing.sweepOnce();
        }

        assertThat(store.chunks(left.pack)).hasSize(2);
    }

    @Test
    void theSweepRemovesNothingWhileNoVersionIsMounted() {
        mounted(stays);
        sweep.sweepOnce();
        mounted();
        sweep.sweepOnce();
        sweep.sweepOnce();
        mounted(stays);
        sweep.sweepOnce();

        assertThat(store.packs()).containsExactlyInAnyOrder(stays.pack, left.pack);
    }

    @Test
    void theSweepKeepsChunksOfAVersionThatIsMountedBetweenTwoScans() {
        mounted(stays);
        sweep.sweepOnce();

        mounted(stays, left);
        sweep.sweepOnce();
        mounted(stays);
        sweep.sweepOnce();

        assertThat(store.packs()).contains(left.pack);
    }

    @Test
    void theSweepRemovesNothingWhileTheManifestOfAMountedVersionIsUnavailable() {
        mounted(stays);
        sweep.sweepOnce();
        Version beingFilled = version("being-filled");
        Path manifest = manifests.remove(beingFilled.mount.manifest().digest().hex());
        store(beingFilled.pack, 2);
        mounted(stays, beingFilled);

        for (int sweepOnce = 0; sweepOnce < 3; sweepOnce++) {
            assertThatThrownBy(() -> sweep.sweepOnce()).isInstanceOf(ForebayException.class);
            assertThat(versions.unlessOthers(Set.of(digest(stays)), this::dropLeft)).isFalse();
        }
        assertThat(store.chunks(left.pack)).hasSize(3);
        assertThat(store.chunks(beingFilled.pack)).hasSize(2);

        manifests.put(beingFilled.mount.manifest().digest().hex(), manifest);
        sweep.sweepOnce();
        assertThat(store.packs()).containsExactlyInAnyOrder(stays.pack, beingFilled.pack);
    }

    @Test
    void aMountWaitsWhileAChunkIsBeingRemoved() {
        mounted(stays);
        Thread mounting = Thread.ofVirtual().unstarted(() -> mounted(stays, left));
        boolean removed =
                versions.unlessOthers(
                        Set.of(digest(stays)),
                        () -> {
                            mounting.start();
                            assertThat(ends(mounting, Duration.ofMillis(100))).isFalse();
                            dropLeft();
                        });

        assertThat(ends(mounting, Duration.ofSeconds(20))).isTrue();
        assertThat(removed).isTrue();
        assertThat(versions.unlessOthers(Set.of(digest(stays)), this::dropLeft)).isFalse();
    }

    /** Orphans may number millions. */
    @Test
    void aScanKeepsLessThanSixteenBytesPerChunk() {
        int chunks = 10_000;
        try (ChunkStore large =
                        ChunkStore.open(
                                List.of(directory.resolve("large")),
                                new StoreLimits(1L << 30, 2L * chunks),
                                _ -> false);
                OrphanChunkCollector checking =
                        new OrphanChunkCollector(
                                large, versions, inTouch::get, Duration.ofHours(1), 1L << 50)) {
            for (int i = 0; i < chunks; i++) {
                large.put(new ChunkId(left.pack, i), ByteBuffer.allocate(1), ValidBlocks.all(1));
            }
            mounted(stays);
            long before = usedHeap();
            checking.sweepOnce();
            long kept = usedHeap() - before;
            // Other threads of this JVM may hold memory for a moment.
            for (int i = 0; i < 20 && kept >= chunks * 16L; i++) {
                LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
                kept = Math.min(kept, usedHeap() - before);
            }
            assertThat(kept).as("heap kept").isLessThan(chunks * 16L);
            checking.sweepOnce();
            assertThat(large.packs()).isEmpty();
        }
    }

    private static long usedHeap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    @Test
    void aStartedSweepRemovesOrphansByItself() {
        mounted(stays);
        sweep =
                new OrphanChunkCollector(
                        store, versions, inTouch::get, Duration.ofMillis(20), 1L << 40);
        sweep.start();
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (store.packs().size() > 1) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static Digest digest(Version version) {
        return version.mount.manifest().digest();
    }

    private void dropLeft() {
        store.chunks(left.pack).forEach(store::drop);
    }

    private static boolean ends(Thread thread, Duration timeout) {
        try {
            return thread.join(timeout);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void mounted(Version... mounted) {
        mounted(Set.of(), mounted);
    }

    private void mounted(Set<String> notUnderstood, Version... mounted) {
        versions.update(
                new RegionView(
                        List.of(),
                        Set.of(),
                        Arrays.stream(mounted).map(Version::mount).toList(),
                        List.of(),
                        List.of(),
                        List.of(),
                        notUnderstood));
    }

    private Version version(String name) {
        Path path = directory.resolve(name + ".sqlite");
        ManifestFile file;
        try (ManifestWriter writer =
                new ManifestWriter(path, "bucket", "", ManifestWriter.DEFAULT_PACK_BYTES, null)) {
            writer.add(new LakeObject(name, CHUNK, Instant.EPOCH, "etag", null));
            file = writer.finish();
        }
        manifests.put(file.digest().hex(), path);
        Mount mount =
                new Mount(
                        DatasetVersion.of("ns", "data", name),
                        file.ref("manifests"),
                        Mount.State.CACHED);
        try (Manifest manifest = SqliteManifest.open(path)) {
            return new Version(mount, manifest.packs().getFirst().id());
        }
    }

    private void store(PackId pack, int chunks) {
        for (int i = 0; i < chunks; i++) {
            store.put(new ChunkId(pack, i), ByteBuffer.allocate(CHUNK), ValidBlocks.all(CHUNK));
        }
    }

    private void copy(String digest, Path target) {
        Path manifest = manifests.get(digest);
        if (manifest == null) {
            throw new ForebayException(ErrorCode.LAKE_UNAVAILABLE, "no lake");
        }
        try {
            Files.copy(manifest, target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
