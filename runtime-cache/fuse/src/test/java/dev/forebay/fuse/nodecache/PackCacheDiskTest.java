package dev.forebay.fuse.nodecache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.devstack.fault.LoopDisk;
import dev.forebay.fuse.CapturedLog;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.linux.SystemCallException;
import dev.forebay.manifest.Pack;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uses disks that are full or fail: ext4 on a loop device. Needs permission to mount. */
class PackCacheDiskTest {

    private static final int MIB = 1 << 20;
    private static final int SECTOR = 512;

    @TempDir private Path directory;
    private final TestPack pack = new TestPack(3 * PackUnits.PAGES_OF_CHUNK, 3);
    private LoopDisk disk;

    @BeforeEach
    void mount() throws Exception {
        var mounted = LoopDisk.mountIfAllowed(directory, "disk", 16L * MIB);
        assumeTrue(mounted.isPresent(), "cannot mount an ext4 here");
        disk = mounted.get();
    }

    @AfterEach
    void unmount() {
        if (disk != null) {
            disk.close();
        }
    }

    private PackCache open() {
        return PackCache.open(disk.path().resolve("packs"), 1L << 30, true, pack.source(), pack);
    }

    @Test
    void readsOnAFullDiskSucceedAndFetchNoByteTwice() {
        try (PackCache cache = open();
                CapturedLog err = new CapturedLog()) {
            pack.assertReadsAll(cache, TestPack.ALL);
            assertThat(pack.takeAskedBytes()).isEqualTo(pack.bytes.length);
            assertThat(cache.counters().refused()).isPositive();
            assertThat(cache.counters().diskErrors()).isZero();
            pack.assertReadsAll(cache, TestPack.ALL);
            assertThat(cache.counters().hitBytes()).isGreaterThan(MIB);
            assertThat(err.linesWith("is full before --pack-cache is reached"))
                    .as("not for each piece")
                    .singleElement()
                    .asString()
                    .contains(disk.path().resolve("packs").toString(), " of 1024 MiB are used");
        }
        try (PackCache cache = open()) {
            pack.assertReadsAll(cache, TestPack.ALL);
            assertThat(cache.counters().damagedBlocks()).isZero();
        }
    }

    @Test
    void aPackWithoutSpaceLeavesTheDiskUsable() throws Exception {
        PackId more = PackId.parse("cd".repeat(32));
        try (PackCache cache = open()) {
            pack.assertReads(cache, TestPack.ALL, 0, 2 * MIB, true);
            pack.takeAskedBytes();
            fill(disk.path().resolve("of-others"));

            assertThatThrownBy(
                            () ->
                                    cache.hold(
                                            TestPack.ALL,
                                            List.of(new Pack(more, pack.bytes.length))))
                    .isInstanceOf(ForebayException.class);
            assertThat(disk.path().resolve("packs").resolve(more + ".pack"))
                    .as("leftover of the pack")
                    .doesNotExist();
            cache.read(TestPack.ALL, more, 0, MIB, ByteBuffer.allocateDirect(MIB));

            assertThat(cache.diskIsUsable()).isTrue();
            assertThat(cache.counters().diskErrors()).isZero();
            assertThat(cache.counters().refused()).isEqualTo(2);
            assertThat(cache.counters().evictedBytes()).as("space for the next pack").isPositive();
        }
    }

    /** A ramfs cannot punch holes, which opening tries for leftovers of a killed process. */
    @Test
    void aPackThatCannotBeOpenedReservesNoSpace() throws Exception {
        Path other = Files.createDirectory(directory.resolve("other"));
        run("mount", "-t", "ramfs", "none", other.toString());
        try {
            try (PackCache cache = open()) {
                pack.assertReads(cache, TestPack.ALL, 0, MIB, true);
                run("cp", "-r", disk.path().resolve("packs").toString(), other.toString());
            }
            try (PackCache cache =
                    PackCache.open(other.resolve("packs"), 1L << 30, true, pack.source(), pack)) {
                assertThat(cache.counters().diskErrors()).as("attempts to open it").isPositive();
                assertThat(cache.usedBytes()).isZero();
            }
        } finally {
            run("umount", "-l", other.toString());
        }
    }

    private static void run(String... command) throws Exception {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    private static void fill(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.allocate(4096);
            while (channel.write(bytes) > 0) {
                bytes.clear();
            }
        } catch (IOException full) {
            if (!ErrorNumber.isFullDisk(full)) {
                throw full;
            }
        }
    }

    /** Native views read the disk, not the pod's memory. */
    @Test
    void theScrubReadsTheDiskInsteadOfThePageCache() throws Exception {
        int first = 4 * MIB;
        try (PackCache cache = open();
                HeldPacks held =
                        cache.hold(
                                TestPack.ALL, List.of(new Pack(TestPack.ID, pack.bytes.length)))) {
            pack.assertReads(cache, TestPack.ALL, 0, first, true);
            held.sync();
            // Writes are dropped from the page cache, reads are not.
            pack.assertReads(cache, TestPack.ALL, 0, first, true);
            flipBelow(first / 2);
            pack.assertReads(cache, TestPack.ALL, 0, first, true);
            assertThat(cache.counters().damagedBlocks()).as("it is in memory").isZero();

            long _ = cache.scrub(new ChunkId(TestPack.ID, 0), _ -> List.of(TestPack.ALL));

            assertThat(cache.counters().damagedBlocks()).isOne();
        }
    }

    /** Flips a bit of the pack on the device, below the file system. */
    private void flipBelow(int at) throws IOException {
        byte[] wanted = Arrays.copyOfRange(pack.bytes, at, at + SECTOR);
        try (RandomAccessFile device =
                new RandomAccessFile(directory.resolve("disk.image").toFile(), "rw")) {
            byte[] there = new byte[SECTOR];
            for (long place = 0; place < device.length(); place += SECTOR) {
                device.seek(place);
                device.readFully(there);
                if (Arrays.equals(there, wanted)) {
                    device.seek(place);
                    device.write(there[0] ^ 1);
                    return;
                }
            }
        }
        throw new AssertionError("not on the device");
    }

    @Test
    void readsGoToTheSourceWhenTheDiskFails() throws Exception {
        try (PackCache cache = open()) {
            pack.assertReads(cache, TestPack.ALL, 0, 4 * MIB, true);
            disk.die();
            pack.assertReadsAll(cache, TestPack.ALL);
            pack.assertReadsAll(cache, TestPack.ALL);
            assertThat(cache.counters().diskErrors()).isPositive();
        }
    }

    @Test
    void aSweepIsIncompleteWhileTheDiskIsUnusable() throws Exception {
        try (PackCache cache = open()) {
            pack.assertReads(cache, TestPack.ALL, 0, 4 * MIB, true);
            disk.die();
            assertThat(cache.keepOnly(Set::of, _ -> Set.of())).isFalse();
            assertThat(cache.diskIsUsable()).isFalse();
            assertThat(cache.keepOnly(Set::of, _ -> Set.of())).isFalse();
        }
    }

    @Test
    void aStoreThatFailsToStartDoesNotCountAsRunning() throws Exception {
        CacheCounters counters = new CacheCounters();
        Path data = disk.path().resolve("data");
        Path map = disk.path().resolve("map");
        ByteBuffer block = ByteBuffer.allocateDirect(PackUnits.BLOCK);
        BitSet pages = PackUnits.pagesOf(0, PackUnits.BLOCK);
        try (PackFile file =
                PackFile.create(
                        TestPack.ID,
                        PackUnits.CHUNK,
                        data,
                        map,
                        new CacheCapacity(MIB, counters),
                        counters,
                        new DamageLog(_ -> List.of()))) {
            file.writer().store(0, pages, block, null);
            assertThat(file.settle()).isTrue();
            disk.die();
            BitSet next = PackUnits.pagesOf(PackUnits.BLOCK, 2 * PackUnits.BLOCK);
            assertThatThrownBy(() -> file.writer().store(PackUnits.BLOCK, next, block, null))
                    .isInstanceOf(SystemCallException.class);
            CachedChunk chunk = requireNonNull(file.chunks().find(0));
            assertThat(chunk.storing).isZero();
        }
    }
}
