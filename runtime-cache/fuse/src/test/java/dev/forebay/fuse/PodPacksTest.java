package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.chunkstore.NeighbourStore;
import dev.forebay.fuse.fs.Manifests;
import dev.forebay.fuse.nodecache.NodePacks;
import dev.forebay.fuse.nodecache.NodePacksConfig;
import dev.forebay.fuse.read.LocalChunks;
import dev.forebay.manifest.ManifestCache;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PodPacksTest {

    @TempDir private Path directory;

    private PodPacks packs() {
        return new PodPacks(
                new NodePacksConfig(
                        directory.resolve("packs"),
                        1 << 20,
                        0,
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(1),
                        0,
                        Duration.ofMinutes(1),
                        false),
                false,
                new Manifests(
                        new ManifestCache(
                                directory.resolve("manifests"),
                                1 << 20,
                                (_, _) -> {
                                    throw noWorker();
                                })),
                new LocalChunks(
                        new NeighbourStore(List.of()),
                        (_, _, _, _, _) -> {
                            throw noWorker();
                        }),
                _ -> {});
    }

    private static ForebayException noWorker() {
        return new ForebayException(ErrorCode.UNAVAILABLE, "no worker");
    }

    @Test
    void thatItCannotBeOpenedIsKnown() throws Exception {
        Files.createFile(directory.resolve("packs"));
        try (PodPacks packs = packs()) {
            assertThat(packs.failed()).isFalse();
            packs.openInTurn();
            assertThat(packs.failed()).isTrue();
            assertThat(packs.open()).isEmpty();
        }
    }

    @Test
    void whatIsOpenIsNotOpenedOnceMoreWhenItsTurnComes() throws Exception {
        try (PodPacks packs = packs()) {
            packs.openNow();
            NodePacks open = packs.open().orElseThrow();
            packs.openInTurn();
            assertThat(packs.failed()).isFalse();
            assertThat(packs.open()).containsSame(open);
        }
    }
}
