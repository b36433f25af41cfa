package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckedReaderTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @TempDir private Path directory;
    private final TestPack pack = new TestPack(PackUnits.PAGES_OF_CHUNK, 17);
    private final BitSet pages = PackUnits.pagesOf(0, PackUnits.BLOCK);

    /** The chunk is evicted while it is verified, and another chunk object takes its place. */
    @Test
    void proveEndsIfTheChunkIsEvictedAndStoredAgainMeanwhile() throws Exception {
        try (PackFile file = create()) {
            store(file);
        }
        try (PackFile file = open()) {
            CompletableFuture<Void> proved = new CompletableFuture<>();
            Thread proving = Thread.ofPlatform().daemon().unstarted(() -> prove(file, proved));
            Lock lock = file.chunks().writeLock(0);
            lock.lock();
            try {
                proving.start();
                long deadline = System.nanoTime() + TIMEOUT.toNanos();
                while (proving.getState() != Thread.State.WAITING) {
                    assertThat(System.nanoTime()).isLessThan(deadline);
                    LockSupport.parkNanos(1_000_000);
                }
                assertThat(file.evictor().restrict(0, new BitSet(), Set.of(), Set::of))
                        .isPositive();
                store(file);
            } finally {
                lock.unlock();
            }
            proved.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static void prove(PackFile file, CompletableFuture<Void> proved) {
        try {
            file.reader().prove(0);
            proved.complete(null);
        } catch (Exception e) {
            proved.completeExceptionally(e);
        }
    }

    private void store(PackFile file) throws Exception {
        ByteBuffer block =
                ByteBuffer.allocateDirect(PackUnits.BLOCK).put(pack.bytes, 0, PackUnits.BLOCK);
        file.writer().store(0, pages, block.flip(), null);
    }

    private PackFile create() throws Exception {
        CacheCounters counters = new CacheCounters();
        return PackFile.create(
                TestPack.ID,
                pack.bytes.length,
                data(),
                map(),
                space(counters),
                counters,
                new DamageLog(_ -> List.of()));
    }

    /** Opens the pack as unsettled, so that nothing counts as verified. */
    private PackFile open() throws Exception {
        CacheCounters counters = new CacheCounters();
        return PackFile.open(
                TestPack.ID,
                data(),
                map(),
                space(counters),
                counters,
                new DamageLog(_ -> List.of()));
    }

    private static CacheCapacity space(CacheCounters counters) {
        return new CacheCapacity(1L << 30, counters);
    }

    private Path data() {
        return directory.resolve("pack");
    }

    private Path map() {
        return directory.resolve("map");
    }
}
