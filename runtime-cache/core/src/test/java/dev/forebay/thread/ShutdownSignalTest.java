package dev.forebay.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ShutdownSignalTest {

    private static final Duration LONG = Duration.ofDays(1);

    private final ShutdownSignal closing = new ShutdownSignal();
    private final CompletableFuture<Boolean> told = new CompletableFuture<>();
    private final Thread thread =
            Thread.ofPlatform().daemon().unstarted(() -> told.complete(closing.within(LONG)));

    private void rest() {
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }

    @Test
    void withinWaitsForTheWholeDuration() {
        long start = System.nanoTime();
        assertThat(closing.within(Duration.ofMillis(20))).isFalse();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(20_000_000);
        assertThat(closing.within(Duration.ZERO)).isFalse();
    }

    @Test
    void beginWakesAWaitingThread() throws Exception {
        rest();
        closing.begin();
        assertThat(told.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void withinReturnsAtOnceAfterBegin() {
        closing.begin();
        closing.begin();
        assertThat(closing.within(LONG)).isTrue();
        assertThat(closing.within(Duration.ZERO)).isTrue();
    }

    @Test
    void withinReturnsTrueIfTheThreadIsInterrupted() throws Exception {
        rest();
        thread.interrupt();
        assertThat(told.get(30, TimeUnit.SECONDS)).isTrue();
    }
}
