package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disks that are full, and that die: ext4 on a loop device. Needs the right to mount. */
class PackCacheDiskTest {

    private static final int MIB = 1 << 20;

    @TempDir private Path directory;
    private final TestPack pack = new TestPack(3 * Sizes.PAGES_OF_CHUNK, 3);
    private Path disk;

    @BeforeEach
    void mount() throws Exception {
        Path image = directory.resolve("image");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(16L * MIB);
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

    private PackCache open() {
        return PackCache.open(disk.resolve("packs"), 1L << 30, pack.source(), pack);
    }

    @Test
    void aFullDiskIsNoErrorAndNothingIsAskedForTwice() {
        try (PackCache cache = open()) {
            pack.assertReadsAll(cache, TestPack.ALL);
            assertThat(pack.takeAskedBytes()).isEqualTo(pack.bytes.length);
            assertThat(cache.counters().refused()).isPositive();
            assertThat(cache.counters().diskErrors()).isZero();
            pack.assertReads(cache, TestPack.ALL, pack.bytes.length - MIB, MIB, true);
            assertThat(cache.counters().hitBytes()).isEqualTo(MIB);
        }
        try (PackCache cache = open()) {
            pack.assertReadsAll(cache, TestPack.ALL);
            assertThat(cache.counters().damagedBlocks()).isZero();
        }
    }

    @Test
    void whenTheDiskDiesReadsGoToTheSource() throws Exception {
        try (PackCache cache = open()) {
            pack.assertReads(cache, TestPack.ALL, 0, 4 * MIB, true);
            String shutDown =
                    "import fcntl,os,struct,sys;fcntl.ioctl(os.open(sys.argv[1],os.O_RDONLY),"
                            + "0x8004587d,struct.pack('I',2))";
            assertThat(run("python3", "-c", shutDown, disk.toString())).isTrue();
            pack.assertReadsAll(cache, TestPack.ALL);
            pack.assertReadsAll(cache, TestPack.ALL);
            assertThat(cache.counters().diskErrors()).isPositive();
        }
    }
}
