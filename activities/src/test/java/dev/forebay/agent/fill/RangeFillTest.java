package dev.forebay.agent.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.agent.workers.AbsentWorkers;
import dev.forebay.agent.workers.FakeManifest;
import dev.forebay.agent.workers.FakeWorkers;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.transfer.FillAnswer;
import dev.forebay.workflows.activity.RegionActivities.WarmProgress;
import dev.forebay.workflows.activity.RegionActivities.WarmResult;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RangeFillTest {

    private static final long CHUNK = ChunkId.CHUNK_BYTES;

    private final FakeWorkers workers = new FakeWorkers().with("w1", "w2");
    private final FillRate rate = new FillRate(System::nanoTime);

    @Test
    void aBatchFillsEveryChunkOfTheRangeOnceAndAddsUpTheBytes() {
        RangeCursor cursor = cursor(5, 0);

        WarmResult result = warming(700, 8).run(cursor, 5, 605);

        assertThat(result)
                .isEqualTo(new WarmResult(600 * CHUNK, 600 * 10, 600 * FakeManifest.FILES));
        assertThat(workers.fills()).hasSize(600).doesNotHaveDuplicates();
        assertThat(cursor.progress().next()).isEqualTo(605);
    }

    @Test
    void aBatchMeasuresTheFillRateOfMissingChunksOnly() {
        workers.filling((worker, chunk) -> new FillAnswer(CHUNK, 0, 0, 0));
        warming(20, 4).run(cursor(0, 0), 0, 20);
        assertThat(rate.speed().rate()).isNull();

        workers.filling((worker, chunk) -> new FillAnswer(CHUNK, CHUNK / 2, CHUNK / 4, CHUNK / 4));
        warming(20, 4).run(cursor(0, 0), 0, 20);
        assertThat(rate.speed().rate()).isNotNull();
    }

    @Test
    void aBatchContinuesWhereTheLastAttemptStopped() {
        RangeCursor cursor = cursor(8, 77);

        WarmResult result = warming(10, 4).run(cursor, 0, 10);

        assertThat(result).isEqualTo(new WarmResult(10 * CHUNK, 77 + 20, 2 * FakeManifest.FILES));
        assertThat(workers.fills()).hasSize(2);
    }

    @Test
    void aBatchKeepsToItsConcurrencyLimit() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch full = new CountDownLatch(3);
        workers.filling(
                (worker, chunk) -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    full.countDown();
                    await(full);
                    running.decrementAndGet();
                    return new FillAnswer(CHUNK, 1, 0, 0);
                });

        warming(50, 3).run(cursor(0, 0), 0, 50);

        assertThat(most).hasValue(3);
    }

    @Test
    void aBatchStopsAtTheFirstFailureAndKeepsItsProgress() {
        workers.filling(
                (worker, chunk) -> {
                    if (chunk.index() == 20) {
                        throw new ForebayException(ErrorCode.LAKE_DENIED, "no");
                    }
                    return new FillAnswer(CHUNK, 1, 0, 0);
                });
        RangeCursor cursor = cursor(0, 0);

        assertThatThrownBy(() -> warming(1000, 1).run(cursor, 0, 1000))
                .isInstanceOf(ForebayException.class)
                .hasMessage("no");

        assertThat(cursor.progress())
                .isEqualTo(new WarmProgress(20, 20, 20 * CHUNK, 20 * FakeManifest.FILES));
        assertThat(workers.fills()).hasSize(20);
    }

    /**
     * The worker's copy of the manifest lacks an object, so the bytes that it serves there are
     * wrong.
     */
    @Test
    void aBatchFailsIfAWorkerFillsFewerBytesThanTheManifestStates() {
        workers.filling((worker, chunk) -> new FillAnswer(CHUNK - 1, 1, 0, 0));

        assertThatThrownBy(() -> warming(1, 1).run(cursor(0, 0), 0, 1))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));

        assertThat(workers.disagreed()).hasSize(1);
    }

    /** This happens when there is no memory for another request. */
    @Test
    void aBatchFailsIfAFillThrowsAnError() {
        workers.filling(
                (worker, chunk) -> {
                    throw new OutOfMemoryError("simulated");
                });

        assertThatThrownBy(() -> warming(10, 2).run(cursor(0, 0), 0, 10))
                .isInstanceOf(ForebayException.class)
                .hasMessageContaining("simulated");
    }

    @Test
    void aBatchStopsAtOnceWhenInterrupted() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        workers.filling(
                (worker, chunk) -> {
                    begun.countDown();
                    await(never);
                    return new FillAnswer(CHUNK, 1, 0, 0);
                });
        AtomicInteger stopped = new AtomicInteger();
        Thread warming =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        warming(100, 4).run(cursor(0, 0), 0, 100);
                                    } catch (ForebayException e) {
                                        stopped.incrementAndGet();
                                    }
                                });
        begun.await();

        warming.interrupt();

        assertThat(warming.join(Duration.ofSeconds(10))).isTrue();
        assertThat(stopped).hasValue(1);
    }

    private static RangeCursor cursor(long from, long bytesFromLake) {
        return new RangeCursor(new WarmProgress(from, bytesFromLake, 0, 0));
    }

    private RangeFill warming(long chunks, int concurrency) {
        return new RangeFill(
                new FakeManifest(chunks),
                new OwnerChunkFill(
                        workers,
                        FakeWorkers.MANIFEST,
                        new AbsentWorkers(workers::view, Duration.ofSeconds(1), System::nanoTime)),
                rate,
                concurrency);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "interrupted", e);
        }
    }
}
