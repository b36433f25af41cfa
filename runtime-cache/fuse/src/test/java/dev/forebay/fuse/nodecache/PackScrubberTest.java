package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.manifest.Pack;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.thread.ScrubLoop;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class PackScrubberTest {

    private static final int FLIPS = Integer.getInteger("forebay.flips", 500);
    private static final long FAST = 1L << 50;

    @TempDir private Path directory;
    private final TestPack pack = new TestPack(3 * PackUnits.PAGES_OF_CHUNK - 7, 5);

    private PackCache open() {
        return PackCache.open(directory, 1L << 30, true, pack.source(), pack);
    }

    private static ScrubLoop<ChunkId> scrubber(
            PackCache cache, Function<PackId, List<Digest>> versions) {
        return PackScrubber.loop(cache, versions, FAST, Duration.ofHours(1));
    }

    private Path file() {
        return directory.resolve(TestPack.ID + ".pack");
    }

    /** Flips a bit in every block, and returns their number. */
    private int flipEverywhere(Random random) throws IOException {
        int flipped = 0;
        try (RandomAccessFile file = new RandomAccessFile(file().toFile(), "rw")) {
            for (int from = 0; from < pack.bytes.length; from += PackUnits.BLOCK) {
                long at =
                        from + random.nextLong(Math.min(PackUnits.BLOCK, pack.bytes.length - from));
                file.seek(at);
                int was = file.read();
                file.seek(at);
                file.write(was ^ 1 << random.nextInt(8));
                flipped++;
            }
        }
        return flipped;
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void theScrubberFindsAndRepairsEveryFlippedBit() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (PackCache cache = open();
                ScrubLoop<ChunkId> scrubber = scrubber(cache, _ -> List.of(TestPack.ALL))) {
            pack.assertReadsAll(cache, TestPack.ALL);
            int flipped = 0;
            do {
                flipped += flipEverywhere(random);
                assertThat(scrubber.round()).isTrue();
                assertThat(cache.counters().damagedBlocks()).as("seed %d", seed).isEqualTo(flipped);
                assertThat(file()).hasBinaryContent(pack.bytes);
            } while (flipped < FLIPS);
            long compared = cache.counters().scrubbedBytes();
            assertThat(scrubber.round()).isTrue();
            assertThat(cache.counters().damagedBlocks()).as("nothing is left").isEqualTo(flipped);
            assertThat(cache.counters().scrubbedBytes() - compared).isEqualTo(pack.bytes.length);
        }
    }

    @Test
    void theScrubberFetchesForAnotherVersionIfOneFails() throws Exception {
        try (PackCache cache = open();
                ScrubLoop<ChunkId> scrubber =
                        scrubber(cache, _ -> List.of(TestPack.SOME, TestPack.ALL))) {
            pack.assertReadsAll(cache, TestPack.ALL);
            flipEverywhere(new Random(7));
            pack.lost = Set.of(TestPack.SOME);
            assertThat(scrubber.round()).isTrue();
            assertThat(file()).hasBinaryContent(pack.bytes);
        }
    }

    @Test
    void aRepairByTheScrubberCountsAsALoss() throws Exception {
        try (PackCache cache = open();
                ScrubLoop<ChunkId> scrubber = scrubber(cache, _ -> List.of(TestPack.ALL));
                HeldPacks held =
                        cache.hold(
                                TestPack.ALL, List.of(new Pack(TestPack.ID, pack.bytes.length)))) {
            pack.assertReadsAll(cache, TestPack.ALL);
            long before = PackFile.losses(held.packs());
            flipEverywhere(new Random(4));
            assertThat(scrubber.round()).isTrue();
            assertThat(file()).hasBinaryContent(pack.bytes);
            assertThat(PackFile.losses(held.packs()))
                    .as("the kernel may have wrong pages of it in a native view")
                    .isGreaterThan(before);
        }
    }

    @Test
    void aDamagedRecordHidesNoDamagedBlocks() throws Exception {
        try (PackCache cache = open();
                ScrubLoop<ChunkId> scrubber = scrubber(cache, _ -> List.of(TestPack.ALL))) {
            for (boolean scrubbed : List.of(true, false)) {
                pack.assertReadsAll(cache, TestPack.ALL);
                flipEverywhere(new Random(5));
                forgetRecords();
                if (scrubbed) {
                    assertThat(scrubber.round()).isTrue();
                }
                pack.assertReadsAll(cache, TestPack.ALL);
                assertThat(file()).hasBinaryContent(pack.bytes);
            }
        }
    }

    /** Damages the records of all chunks. */
    private void forgetRecords() throws IOException {
        Path map = directory.resolve(TestPack.ID + ".map");
        try (RandomAccessFile file = new RandomAccessFile(map.toFile(), "rw")) {
            for (long at = file.length() - 1; at > file.length() / 4; at -= PackMap.RECORD_STRIDE) {
                file.seek(at - PackMap.RECORD_STRIDE + 2);
                file.write(0x55);
            }
        }
    }

    @Test
    void theScrubberDropsBlocksThatCannotBeFetchedAgain() throws Exception {
        try (PackCache cache = open();
                ScrubLoop<ChunkId> scrubber = scrubber(cache, _ -> List.of(TestPack.ALL))) {
            pack.assertReadsAll(cache, TestPack.ALL);
            int flipped = flipEverywhere(new Random(1));
            pack.down = true;
            assertThat(scrubber.round()).isTrue();
            assertThat(cache.counters().damagedBlocks()).isEqualTo(flipped);
            pack.down = false;
            pack.assertReadsAll(cache, TestPack.ALL);
            assertThat(cache.counters().damagedBlocks()).isEqualTo(flipped);
        }
    }

    @Test
    void theScrubberVerifiesChunksOfNoMountedVersion() throws Exception {
        try (PackCache cache = open();
                ScrubLoop<ChunkId> scrubber = scrubber(cache, _ -> List.of())) {
            pack.assertReadsAll(cache, TestPack.ALL);
            int flipped = flipEverywhere(new Random(2));
            assertThat(scrubber.round()).isTrue();
            assertThat(cache.counters().damagedBlocks()).isEqualTo(flipped);
            assertThat(cache.scrub(new ChunkId(TestPack.ID, 0), _ -> List.of())).isZero();
        }
    }

    @Test
    void aFailedRepairDoesNotEndTheRound() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Function<PackId, List<Digest>> versions =
                _ ->
                        switch (asked.incrementAndGet()) {
                            case 1 -> throw new IllegalStateException("a defect");
                            case 2 -> throw new InternalError("simulated");
                            default -> List.of(TestPack.ALL);
                        };
        try (PackCache cache = open();
                ScrubLoop<ChunkId> scrubber = scrubber(cache, versions)) {
            pack.assertReadsAll(cache, TestPack.ALL);
            assertThat(scrubber.round()).isTrue();
            assertThat(asked).as("nothing is wrong").hasValue(0);
            int flipped = flipEverywhere(new Random(3));
            assertThat(scrubber.round()).isTrue();
            assertThat(asked).hasValue(3);
            assertThat(cache.counters().damagedBlocks()).isEqualTo(flipped);
            pack.assertReadsAll(cache, TestPack.ALL);
            assertThat(file()).hasBinaryContent(pack.bytes);
        }
    }

    /** The manifest may be that of any mounted version, even one without the pack. */
    @Test
    void theScrubberFindsDamageWithoutAManifest() throws Exception {
        Function<PackId, List<Digest>> versions =
                _ -> {
                    throw new ForebayException(ErrorCode.UNAVAILABLE, "no manifest");
                };
        try (PackCache cache = open();
                ScrubLoop<ChunkId> scrubber = scrubber(cache, versions)) {
            pack.assertReadsAll(cache, TestPack.ALL);
            int flipped = flipEverywhere(new Random(6));
            assertThat(scrubber.round()).isTrue();
            assertThat(cache.counters().damagedBlocks()).isEqualTo(flipped);
            assertThat(cache.counters().scrubbedBytes()).isEqualTo(pack.bytes.length);
        }
    }
}
