package dev.forebay.fuse.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PieceCacheTest {

    private static final Digest MANIFEST = new Digest("b".repeat(64));
    private static final PackId PACK = PackId.parse("a".repeat(64));

    private static final Duration LONG = Duration.ofMinutes(1);

    private int given;

    /** Allocates like a JVM with a lower limit. */
    private ByteBuffer slab(int most) {
        if (given == most) {
            throw new OutOfMemoryError("Cannot reserve more");
        }
        given++;
        return ByteBuffer.allocate(PieceKey.BYTES);
    }

    private static void reads(PieceCache cache, int piece) {
        cache.read(
                PieceKey.at(MANIFEST, PACK, (long) piece * PieceKey.BYTES),
                slab -> slab.put((byte) piece),
                bytes -> assertThat(bytes.get(0)).isEqualTo((byte) piece));
    }

    @Test
    void theCacheUsesOnlyTheMemoryThatTheJvmProvides() {
        PieceCache cache = new PieceCache(16L * PieceKey.BYTES, LONG, () -> {}, () -> slab(5));
        for (int i = 0; i < 40; i++) {
            reads(cache, i % 9);
        }
        assertThat(cache.allocatedBytes()).isEqualTo(5L * PieceKey.BYTES);
    }

    @Test
    void theMessageAboutMissingMemoryNamesTheOption() {
        PieceCache cache = new PieceCache(16L * PieceKey.BYTES, LONG, () -> {}, () -> slab(0));
        assertThatThrownBy(() -> reads(cache, 1))
                .isInstanceOf(ForebayException.class)
                .hasMessageContaining("-XX:MaxDirectMemorySize");
    }

    /** Simulates a disk that hangs while it stores the piece. */
    @Test
    void readersDoNotWaitForeverForAHangingLoader() throws Exception {
        PieceCache cache =
                new PieceCache(4L * PieceKey.BYTES, Duration.ofMillis(50), () -> {}, () -> slab(4));
        PieceKey key = PieceKey.at(MANIFEST, PACK, 0);
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Thread loader =
                Thread.ofPlatform()
                        .start(
                                () ->
                                        cache.prefetch(
                                                key,
                                                slab -> {
                                                    slab.put((byte) 0);
                                                    hangs.countDown();
                                                    awaitUninterruptibly(goesOn);
                                                }));
        try {
            hangs.await();
            for (int reader = 0; reader < 2; reader++) {
                assertThat(CompletableFuture.runAsync(() -> reads(cache, 0)))
                        .succeedsWithin(Duration.ofSeconds(20));
            }
            assertThat(cache.allocatedBytes()).isEqualTo(2L * PieceKey.BYTES);
        } finally {
            goesOn.countDown();
            loader.join();
        }
        AtomicInteger loads = new AtomicInteger();
        cache.read(key, _ -> loads.incrementAndGet(), _ -> {});
        assertThat(loads).as("the piece that was loaded again stays").hasValue(0);
        // The whole memory is usable again.
        for (int i = 0; i < 12; i++) {
            reads(cache, i % 4);
        }
        assertThat(cache.allocatedBytes()).isEqualTo(4L * PieceKey.BYTES);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
