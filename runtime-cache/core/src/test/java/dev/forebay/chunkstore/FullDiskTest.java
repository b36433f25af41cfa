package dev.forebay.chunkstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk smaller than the store was promised: a tmpfs, so this needs the right to mount one. */
class FullDiskTest {

    private static final PackId PACK = PackId.parse("ab".repeat(32));
    private static final int LENGTH = 1 << 20;

    @TempDir Path disk;

    @BeforeEach
    void mount() throws Exception {
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=5m", "tmpfs", disk.toString()),
                "cannot mount a tmpfs here");
    }

    @AfterEach
    void unmount() throws Exception {
        run("umount", disk.toString());
    }

    private static boolean run(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static void put(ChunkStore store, int index) {
        store.put(
                new ChunkId(PACK, index),
                ByteBuffer.wrap(new byte[LENGTH]),
                ValidBlocks.all(LENGTH));
    }

    @Test
    void aFullDiskMakesTheStoreSmallerAndThenRefuses() {
        AtomicBoolean pinned = new AtomicBoolean();
        try (ChunkStore store = ChunkStore.open(disk, 1L << 30, pack -> pinned.get())) {
            for (int i = 0; i < 12; i++) {
                put(store, i);
            }
            assertThat(store.stats().chunks()).isBetween(3L, 4L);
            assertThat(store.holds(new ChunkId(PACK, 11), 0, LENGTH)).isTrue();
            assertThat(store.stats().diskFull()).isPositive();

            pinned.set(true);
            long used = store.stats().usedBytes();
            assertThatThrownBy(() -> put(store, 99))
                    .isInstanceOfSatisfying(
                            ForebayException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.CAPACITY_EXCEEDED));
            assertThat(store.stats().usedBytes()).isEqualTo(used);
            assertThat(store.stats().diskErrors()).isZero();
            assertThat(disk.resolve("incoming")).isEmptyDirectory();
            for (ChunkId id : store.chunks(PACK)) {
                assertThat(store.verify(id)).isEqualTo(ChunkStore.Verdict.INTACT);
            }
        }
    }
}
