package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.fault.VictimProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a process that fills and evicts, and checks what it left. */
class PackCacheKillTest {

    private static final int ROUNDS = Integer.getInteger("forebay.kills", 6);
    private static final int THREADS = 3;
    private static final long SEED = 5;
    private static final long CAPACITY = 20L << 20;

    private static final long KEPT_AT_LEAST = 1L << 20;

    @TempDir private Path directory;

    private static TestPack pack() {
        return new TestPack(4 * PackUnits.PAGES_OF_CHUNK + 17, SEED);
    }

    /** The process that is killed: reads at random without end. */
    static final class Victim {
        public static void main(String[] arguments) throws InterruptedException {
            TestPack pack = pack();
            PackCache cache =
                    PackCache.open(Path.of(arguments[0]), CAPACITY, false, pack.source(), pack);
            for (int thread = 0; thread < THREADS; thread++) {
                Random random = new Random(Long.parseLong(arguments[1]) + thread);
                Thread.ofPlatform().start(() -> readForEver(cache, pack, random));
            }
            while (cache.counters().storedBytes() < KEPT_AT_LEAST) {
                Thread.sleep(1);
            }
            VictimProcess.ready();
        }

        private static void readForEver(PackCache cache, TestPack pack, Random random) {
            while (true) {
                int length = 1 + random.nextInt(1_500_000);
                int from = random.nextInt(pack.bytes.length - length);
                pack.assertReads(
                        cache,
                        random.nextBoolean() ? TestPack.ALL : TestPack.SOME,
                        from,
                        length,
                        true);
                pack.takeAskedBytes();
            }
        }
    }

    @Test
    void aKilledProcessLeavesCorrectRecords() throws Exception {
        Random random = new Random(SEED);
        TestPack pack = pack();
        for (int round = 0; round < ROUNDS; round++) {
            VictimProcess.killAfter(
                    Duration.ofMillis(300 + random.nextInt(500)),
                    Victim.class,
                    directory.toString(),
                    Long.toString(random.nextLong()));
            try (PackCache cache =
                    PackCache.open(directory, 1L << 30, false, pack.source(), pack)) {
                long kept = cache.usedBytes();
                assertThat(kept).isBetween(KEPT_AT_LEAST, CAPACITY);
                pack.assertReadsAll(cache, TestPack.ALL);
                assertThat(cache.counters().damagedBlocks()).isZero();
                assertThat(pack.takeAskedBytes()).isLessThan(pack.bytes.length);
            }
        }
    }
}
