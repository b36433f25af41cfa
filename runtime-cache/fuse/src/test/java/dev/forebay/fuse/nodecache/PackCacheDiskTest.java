package dev.forebay.fuse.nodecache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.devstack.fault.LoopDisk;
import dev.forebay.linux.SystemCallException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disks that are full, and that die: ext4 on a loop device. Needs the right to mount. */
class PackCacheDiskTest {

    private static final int MIB = 1 << 20;

    @TempDir private Path directory;
    private final TestPack pack = new TestPack(3 * Sizes.PAGES_OF_CHUNK, 3);
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
    void aFullDiskIsNoErrorAndNothingIsAskedForTwice() {
        try (PackCache cache = open()) {
            pack.assertReadsAll(cache, TestPack.ALL);
            assertThat(pack.takeAskedBytes()).isEqualTo(pack.bytes.length);
            assertThat(cache.counters().refused()).isPositive();
            assertThat(cache.counters().diskErrors()).isZero();
            pack.assertReadsAll(cache, TestPack.ALL);
            assertThat(cache.counters().hitBytes()).isGreaterThan(MIB);
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
            disk.die();
            pack.assertReadsAll(cache, TestPack.ALL);
            pack.assertReadsAll(cache, TestPack.ALL);
            assertThat(cache.counters().diskErrors()).isPositive();
        }
    }

    @Test
    void whatCannotBeSweptWhileTheDiskIsLeftAloneIsSweptLater() throws Exception {
        try (PackCache cache = open()) {
            pack.assertReads(cache, TestPack.ALL, 0, 4 * MIB, true);
            disk.die();
            assertThat(cache.giveUpAllBut(Set.of(), _ -> Set.of())).isFalse();
            assertThat(cache.diskIsUsable()).isFalse();
            assertThat(cache.giveUpAllBut(Set.of(), _ -> Set.of())).isFalse();
        }
    }

    @Test
    void whoFailsToBeginStoringIsNotTakenForStoringForEver() throws Exception {
        CacheCounters counters = new CacheCounters();
        Path data = disk.path().resolve("data");
        Path map = disk.path().resolve("map");
        ByteBuffer block = ByteBuffer.allocateDirect(Sizes.BLOCK);
        BitSet pages = Sizes.pagesOf(0, Sizes.BLOCK);
        try (PackFile file =
                PackFile.create(
                        TestPack.ID, Sizes.CHUNK, data, map, new Space(MIB, counters), counters)) {
            file.writer().store(0, pages, block, null);
            assertThat(file.settle()).isTrue();
            disk.die();
            BitSet next = Sizes.pagesOf(Sizes.BLOCK, 2 * Sizes.BLOCK);
            assertThatThrownBy(() -> file.writer().store(Sizes.BLOCK, next, block, null))
                    .isInstanceOf(SystemCallException.class);
            CachedChunk chunk = requireNonNull(file.chunks().find(0));
            assertThat(chunk.storing).isZero();
        }
    }
}
