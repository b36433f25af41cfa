package dev.forebay.control.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SharedReadsTest {

    private static final Duration KEPT = Duration.ofSeconds(1);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final AtomicInteger read = new AtomicInteger();
    private final SharedReads<String, Integer> readings =
            new SharedReads<>(key -> read.incrementAndGet(), KEPT, nanos::get);

    @Test
    void recentReturnsASharedReadingUntilItExpires() {
        assertThat(readings.recent("a")).isEqualTo(1);
        nanos.addAndGet(KEPT.toNanos());
        assertThat(readings.recent("a")).isEqualTo(1);
        nanos.addAndGet(1);
        assertThat(readings.recent("a")).isEqualTo(2);
        assertThat(readings.recent("b")).isEqualTo(3);
    }

    @Test
    void noCallerGetsAnOlderReadingThanAnEarlierCaller() {
        assertThat(readings.recent("a")).isEqualTo(1);
        nanos.addAndGet(1);
        assertThat(readings.fresh("a")).isEqualTo(2);
        assertThat(readings.recent("a")).isEqualTo(2);
    }

    @Test
    void concurrentFreshCallersShareOneReadingThatBeginsAfterTheirCalls() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        SharedReads<String, Integer> slow =
                new SharedReads<>(
                        key -> {
                            first.countDown();
                            awaitQuietly(goOn);
                            return read.incrementAndGet();
                        },
                        KEPT,
                        () -> {
                            asked.incrementAndGet();
                            return nanos.incrementAndGet();
                        });
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> crowd = new ArrayList<>();
            crowd.add(threads.submit(() -> slow.fresh("a")));
            first.await();
            int before = asked.get();
            for (int i = 0; i < 100; i++) {
                crowd.add(threads.submit(() -> slow.fresh("a")));
            }
            // Each caller reads the clock once on entry. Waiting callers do not read it again.
            while (asked.get() < before + 100) {
                Thread.onSpinWait();
            }
            goOn.countDown();

            assertThat(crowd.removeFirst().get()).isEqualTo(1);
            for (Future<Integer> each : crowd) {
                assertThat(each.get()).isEqualTo(2);
            }
        }
    }

    @Test
    void callersShareAnUnavailableFailure() {
        SharedReads<String, Integer> failing = failing(ErrorCode.UNAVAILABLE);

        assertThatThrownBy(() -> failing.recent("a")).hasMessage("failure 1");
        assertThatThrownBy(() -> failing.recent("a")).hasMessage("failure 1");
        nanos.addAndGet(KEPT.toNanos() + 1);
        assertThatThrownBy(() -> failing.recent("a")).hasMessage("failure 2");
    }

    /** Another process may create it in the next moment. */
    @Test
    void callersDoNotShareANotFoundFailure() {
        SharedReads<String, Integer> failing = failing(ErrorCode.NOT_FOUND);

        assertThatThrownBy(() -> failing.recent("a")).hasMessage("failure 1");
        assertThatThrownBy(() -> failing.recent("a")).hasMessage("failure 2");
    }

    private SharedReads<String, Integer> failing(ErrorCode code) {
        return new SharedReads<>(
                key -> {
                    throw new ForebayException(code, "failure " + read.incrementAndGet());
                },
                KEPT,
                nanos::get);
    }

    @Test
    void unusedReadingsAreRemoved() {
        readings.recent("a");
        nanos.addAndGet(KEPT.toNanos());
        readings.recent("b");
        assertThat(readings.size()).isEqualTo(2);
        nanos.addAndGet(1);
        readings.recent("b");
        assertThat(readings.size()).isEqualTo(1);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
