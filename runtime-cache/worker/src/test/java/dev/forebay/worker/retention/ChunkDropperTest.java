package dev.forebay.worker.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.StoreLimits;
import dev.forebay.chunkstore.file.ValidBlocks;
import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.manifest.write.ManifestWriter;
import dev.forebay.membership.Mount;
import dev.forebay.membership.Pin;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.PackId;
import dev.forebay.transfer.DropAnswer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChunkDropperTest {

    private static final int CHUNK = 8192;
    private static final int CHUNKS = 3;
    private static final DatasetVersion LEAVING = DatasetVersion.of("ns", "data", "leaving");
    private static final DatasetVersion OTHER = DatasetVersion.of("ns", "data", "other");

    @TempDir private Path directory;

    private final List<DatasetVersion> gone = new ArrayList<>();

    /** Runs before each chunk is dropped. */
    private Runnable beforeChunk = () -> {};

    /** Runs when this worker catches up with etcd. */
    private Runnable catchUp = () -> {};

    private ChunkStore store;
    private MountedVersions versions;
    private ManifestRef manifest;

    /** The manifest of the next version, which lacks the second of three objects. */
    private ManifestRef smaller;

    private PackId pack;
    private ChunkDropper dropper;

    @BeforeEach
    void open() {
        Path file = directory.resolve("manifest.sqlite");
        Path smallerFile = directory.resolve("smaller.sqlite");
        manifest = manifest(file, null, 0, 1, 2);
        try (Manifest opened = SqliteManifest.open(file)) {
            pack = opened.packs().getFirst().id();
            smaller = manifest(smallerFile, opened, 0, 2);
        }
        store =
                ChunkStore.open(
                        List.of(directory.resolve("store")),
                        new StoreLimits(64 << 20, 1_000),
                        _ -> false);
        for (int i = 0; i < CHUNKS; i++) {
            store.put(new ChunkId(pack, i), ByteBuffer.allocate(CHUNK), ValidBlocks.all(CHUNK));
        }
        versions =
                new MountedVersions(
                        new ManifestCache(
                                directory.resolve("manifests"),
                                1 << 20,
                                (ref, target) ->
                                        copy(ref.equals(manifest) ? file : smallerFile, target)),
                        4,
                        () -> catchUp.run());
        dropper =
                new ChunkDropper(
                        store,
                        _ -> {},
                        versions,
                        gone::add,
                        () -> {
                            beforeChunk.run();
                            return true;
                        });
    }

    /**
     * @param objects the numbers of the objects; each takes a chunk, the last of them part of one
     */
    private static ManifestRef manifest(Path file, @Nullable Manifest previous, int... objects) {
        try (ManifestWriter writer =
                new ManifestWriter(
                        file, "bucket", "", ManifestWriter.DEFAULT_PACK_BYTES, previous)) {
            for (int object : objects) {
                int bytes = object == CHUNKS - 1 ? CHUNK : ChunkId.CHUNK_BYTES;
                writer.add(new LakeObject("object-" + object, bytes, Instant.EPOCH, "etag", null));
            }
            return writer.finish().ref("manifests");
        }
    }

    @AfterEach
    void close() {
        versions.close();
        store.close();
    }

    private static void copy(Path file, Path target) {
        try {
            Files.copy(file, target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void table(Mount... mounts) {
        versions.update(new RegionView(List.of(), Set.of(), List.of(mounts), List.of()));
    }

    private Mount mount(DatasetVersion version, Mount.State state) {
        return new Mount(version, manifest, state);
    }

    /** Runs an action as soon as the first chunk is gone. */
    private void afterTheFirst(Runnable action) {
        beforeChunk =
                () -> {
                    if (store.chunks(pack).size() == CHUNKS - 1) {
                        action.run();
                    }
                };
    }

    @Test
    void dropRemovesChunksThatOnlyEvictingVersionsUse() {
        table(mount(LEAVING, Mount.State.EVICTING));

        assertThat(dropper.drop(manifest.digest()))
                .isEqualTo(new DropAnswer(CHUNKS, (long) CHUNKS * CHUNK));
        assertThat(store.packs()).isEmpty();
        assertThat(gone).containsExactly(LEAVING);
    }

    @Test
    void dropRemovesFromASharedPackOnlyChunksThatNoOtherVersionNeeds() {
        table(mount(LEAVING, Mount.State.EVICTING), new Mount(OTHER, smaller, Mount.State.CACHED));

        assertThat(dropper.drop(manifest.digest())).isEqualTo(new DropAnswer(1, CHUNK));
        assertThat(store.chunks(pack))
                .containsExactlyInAnyOrder(new ChunkId(pack, 0), new ChunkId(pack, 2));
    }

    @Test
    void aVersionMountedDuringADropKeepsTheRemainingChunks() {
        table(mount(LEAVING, Mount.State.EVICTING));
        afterTheFirst(
                () ->
                        table(
                                mount(LEAVING, Mount.State.EVICTING),
                                mount(OTHER, Mount.State.CACHED)));

        assertThat(dropper.drop(manifest.digest())).isEqualTo(new DropAnswer(1, CHUNK));
        assertThat(store.chunks(pack)).hasSize(CHUNKS - 1);
    }

    @Test
    void aVersionThatIsCachedAgainDuringADropKeepsTheRemainingChunks() {
        table(mount(LEAVING, Mount.State.EVICTING));
        afterTheFirst(() -> table(mount(LEAVING, Mount.State.CACHED)));

        assertThatThrownBy(() -> dropper.drop(manifest.digest()))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
        assertThat(store.chunks(pack)).hasSize(CHUNKS - 1);
        assertThat(gone).isEmpty();
    }

    @Test
    void dropCatchesUpWithEtcdBeforeItRefuses() {
        table();
        catchUp = () -> table(mount(LEAVING, Mount.State.EVICTING));
        assertThat(dropper.drop(manifest.digest()))
                .isEqualTo(new DropAnswer(CHUNKS, (long) CHUNKS * CHUNK));
    }

    @Test
    void dropIgnoresAPinThatHasEndedInEtcd() {
        List<Mount> leaving = List.of(mount(LEAVING, Mount.State.EVICTING));
        List<Pin> pins = List.of(new Pin(LEAVING, "pin", "alice", "training", Duration.ofHours(1)));
        versions.update(new RegionView(List.of(), Set.of(), leaving, pins));

        assertThatThrownBy(() -> dropper.drop(manifest.digest()))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.PINNED));
        catchUp = () -> table(mount(LEAVING, Mount.State.EVICTING));
        assertThat(dropper.drop(manifest.digest()))
                .isEqualTo(new DropAnswer(CHUNKS, (long) CHUNKS * CHUNK));
    }
}
