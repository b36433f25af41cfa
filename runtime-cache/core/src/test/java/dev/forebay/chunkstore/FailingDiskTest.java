package dev.forebay.chunkstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that dies: ext4 on a loop device, shut down. Needs the right to mount. */
class FailingDiskTest {

    private static final PackId PACK = PackId.parse("ab".repeat(32));
    private static final int LENGTH = 1 << 20;

    @TempDir Path directory;

    private Path disk;

    @BeforeEach
    void mount() throws Exception {
        Path image = directory.resolve("image");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(32L << 20);
        }
        disk = Files.createDirectory(directory.resolve("disk"));
        assumeTrue(
                run("mkfs.ext4", "-q", image.toString())
                        && run("mount", "-o", "loop", image.toString(), disk.toString()),
                "cannot mount an ext4 here");
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

    /** The ioctl EXT4_IOC_SHUTDOWN: from now on every access is an I/O error. */
    private void shutDown() throws Exception {
        String program =
                "import fcntl,os,struct,sys;"
                        + "fcntl.ioctl(os.open(sys.argv[1],os.O_RDONLY),0x8004587d,struct.pack('I',2))";
        assertThat(run("python3", "-c", program, disk.toString())).isTrue();
    }

    private static void put(ChunkStore store, int index) {
        store.put(
                new ChunkId(PACK, index),
                ByteBuffer.wrap(new byte[LENGTH]),
                ValidBlocks.all(LENGTH));
    }

    @Test
    void aDeadDiskFailsCleanlyAndIsCounted() throws Exception {
        try (ChunkStore store = ChunkStore.open(disk, 1L << 30, pack -> false)) {
            put(store, 0);
            put(store, 1);
            shutDown();
            assertThatThrownBy(() -> put(store, 2))
                    .isInstanceOfSatisfying(
                            ForebayException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
            assertThat(store.find(new ChunkId(PACK, 2))).isEmpty();
            assertThat(store.find(new ChunkId(PACK, 0))).isEmpty();
            assertThat(store.verify(new ChunkId(PACK, 1))).isEqualTo(ChunkStore.Verdict.DROPPED);
            assertThat(store.stats().diskErrors()).isPositive();
            assertThat(store.stats().chunks()).isZero();
            assertThat(store.stats().usedBytes()).isZero();
        }
    }
}
