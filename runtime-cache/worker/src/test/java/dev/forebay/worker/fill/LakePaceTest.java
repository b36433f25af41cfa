package dev.forebay.worker.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LakePaceTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    private final BlockingQueue<String> served = new LinkedBlockingQueue<>();

    @Test
    void requestsArePacedAtTheWorkersShareOfTheRate() {
        LakePace pace = new LakePace(200);
        pace.shareAmong(4);
        assertThat(pace.perSecond()).isEqualTo(50);
        long begun = System.nanoTime();
        for (int i = 0; i < 26; i++) {
            acquire(pace, Urgency.prefetch(), LONG);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .as("25 pauses of 20 ms, but for the slack")
                .isBetween(Duration.ofMillis(440), Duration.ofSeconds(5));
    }

    @Test
    void demandGoesBeforePrefetch() throws Exception {
        // One second is long enough for all callers to queue.
        LakePace pace = new LakePace(1);
        acquire(pace, Urgency.prefetch(), LONG);
        Urgency raised = Urgency.prefetch();
        queue(pace, "first", Urgency.prefetch(), 1);
        queue(pace, "raised", raised, 2);
        queue(pace, "demand", Urgency.demand(), 3);
        raised.raise();

        assertThat(List.of(next(), next(), next())).containsExactly("raised", "demand", "first");
    }

    @Test
    void throttlingHalvesTheRateAndFailedAttemptsCountAgainstIt() {
        LakePace pace = new LakePace(100);
        pace.attemptFailed(false);
        assertThat(pace.perSecond()).isEqualTo(100);
        assertThat(pace.throttled()).isZero();

        pace.attemptFailed(true);

        assertThat(pace.perSecond()).isBetween(50.0, 60.0);
        assertThat(pace.throttled()).isEqualTo(1);
        long begun = System.nanoTime();
        for (int i = 0; i < 20; i++) {
            pace.attemptFailed(false);
        }
        acquire(pace, Urgency.demand(), LONG);
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isGreaterThan(Duration.ofMillis(200));
    }

    @Test
    void failedAttemptsDelayTheNextRequestOnlyBriefly() {
        LakePace pace = new LakePace(1);
        for (int i = 0; i < 100; i++) {
            pace.attemptFailed(true);
        }
        acquire(pace, Urgency.demand(), Duration.ofSeconds(5));
    }

    @Test
    void theShareStaysWhenNoWorkerIsKnown() {
        LakePace pace = new LakePace(200);
        pace.shareAmong(4);
        pace.shareAmong(0);
        assertThat(pace.perSecond()).isEqualTo(50);
    }

    @Test
    void aCallerThatTimesOutUsesNoTurn() {
        LakePace pace = new LakePace(1);
        acquire(pace, Urgency.demand(), LONG);
        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(() -> acquire(pace, Urgency.demand(), Duration.ofMillis(5)))
                    .isInstanceOfSatisfying(
                            ForebayException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
        }
        assertThat(pace.waiting()).isZero();
        long begun = System.nanoTime();
        acquire(pace, Urgency.demand(), LONG);
        // A slot for each attempt would take ten seconds.
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void aCancelledRequestUsesNoTurn() throws Exception {
        LakePace pace = new LakePace(1);
        acquire(pace, Urgency.demand(), LONG);
        AtomicBoolean unwanted = new AtomicBoolean();
        List<CompletableFuture<Boolean>> turns =
                Stream.generate(
                                () ->
                                        CompletableFuture.supplyAsync(
                                                () ->
                                                        pace.acquire(
                                                                Urgency.demand(),
                                                                LONG,
                                                                unwanted::get),
                                                Thread::startVirtualThread))
                        .limit(10)
                        .toList();
        awaitWaiting(pace, turns.size());
        unwanted.set(true);
        long begun = System.nanoTime();
        acquire(pace, Urgency.demand(), LONG);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
        for (CompletableFuture<Boolean> turn : turns) {
            assertThat(turn.get(20, TimeUnit.SECONDS)).isFalse();
        }
    }

    private void queue(LakePace pace, String name, Urgency urgency, int expectedWaiting) {
        Thread.startVirtualThread(
                () -> {
                    acquire(pace, urgency, LONG);
                    served.add(name);
                });
        awaitWaiting(pace, expectedWaiting);
    }

    private static void awaitWaiting(LakePace pace, int expected) {
        while (pace.waiting() < expected) {
            Thread.onSpinWait();
        }
    }

    private static void acquire(LakePace pace, Urgency urgency, Duration timeout) {
        assertThat(pace.acquire(urgency, timeout, () -> false)).isTrue();
    }

    private String next() throws InterruptedException {
        return String.valueOf(served.poll(20, TimeUnit.SECONDS));
    }
}
