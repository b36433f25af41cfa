package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A strict read detects a flipped bit in every block that it touches, even if it needs only a few
 * bytes. More runs: {@code -Dforebay.flips=10000}.
 */
class StrictReadsTest {

    private static final int FLIPS = Integer.getInteger("forebay.flips", 500);
    private static final int LONGEST = 5000;

    @TempDir private Path directory;
    private final TestPack pack = new TestPack(2 * PackUnits.PAGES_OF_CHUNK + 5, 11);

    private void flip(long at, int bit) throws IOException {
        Path data = directory.resolve(TestPack.ID + ".pack");
        try (RandomAccessFile file = new RandomAccessFile(data.toFile(), "rw")) {
            file.seek(at);
            int was = file.read();
            file.seek(at);
            file.write(was ^ 1 << bit);
        }
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void theNextReadOfABlockFindsEveryFlippedBit() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (PackCache cache = PackCache.open(directory, 1L << 30, true, pack.source(), pack)) {
            pack.assertReadsAll(cache, TestPack.ALL);
            for (int flipped = 1; flipped <= FLIPS; flipped++) {
                long at = random.nextInt(pack.bytes.length);
                flip(at, random.nextInt(8));
                // Somewhere in the block, rarely at the flipped bit.
                long block = at / PackUnits.BLOCK * PackUnits.BLOCK;
                int length = (int) Math.min(PackUnits.BLOCK, pack.bytes.length - block);
                int from = random.nextInt(length);
                pack.assertReads(
                        cache,
                        TestPack.ALL,
                        block + from,
                        1 + random.nextInt(Math.min(LONGEST, length - from)),
                        random.nextBoolean());
                assertThat(cache.counters().damagedBlocks())
                        .as("seed %d, the bit at %d", seed, at)
                        .isEqualTo(flipped);
            }
            pack.takeAskedBytes();
            pack.assertReadsAll(cache, TestPack.ALL);
            assertThat(pack.takeAskedBytes()).as("bytes that are fetched again").isZero();
        }
    }
}
