package dev.forebay.agent.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.testing.Await;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RepeatedTaskTest {

    @Test
    void theNextRoundRunsAfterOneFails() {
        AtomicInteger rounds = new AtomicInteger();
        try (RepeatedTask failing =
                new RepeatedTask(
                        "test",
                        Duration.ofMillis(1),
                        () -> {
                            if (rounds.incrementAndGet() % 2 == 0) {
                                throw new IllegalStateException("not this time");
                            }
                            throw new OutOfMemoryError("simulated");
                        })) {
            failing.start();
            Await.until("several rounds", () -> rounds.get() > 3);
        }
    }

    @Test
    void noRoundStartsAfterTheClose() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger ended = new AtomicInteger();
        RepeatedTask rounds =
                new RepeatedTask(
                        "test",
                        Duration.ZERO,
                        () -> {
                            begun.countDown();
                            awaitQuietly(goOn);
                            ended.incrementAndGet();
                        });
        rounds.start();
        assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();

        rounds.close();
        goOn.countDown();

        Await.until("the round that was under way ends", () -> ended.get() == 1);
        assertThat(ended).hasValue(1);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
