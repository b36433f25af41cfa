package dev.forebay.worker.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class RequestQueueTest {

    private static final Duration RETRY_AFTER = Duration.ofSeconds(3);

    @Test
    void aLaneLimitsRunningAndQueuedTasksAndRefusesTheRest() throws Exception {
        RequestQueue lane = new RequestQueue("lane", 2, 3, RETRY_AFTER);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        Runnable task =
                () -> {
                    begun.incrementAndGet();
                    awaitQuietly(end);
                    done.incrementAndGet();
                };
        for (int i = 0; i < 5; i++) {
            lane.run(task);
        }

        assertThatThrownBy(() -> lane.run(task))
                .isInstanceOfSatisfying(
                        Refusal.class,
                        refusal -> {
                            Problem problem = Problem.of(refusal);
                            assertThat(problem.status()).isEqualTo(503);
                            assertThat(problem.headers()).containsEntry("Retry-After", "3");
                        });
        await(() -> begun.get() == 2);
        end.countDown();

        await(() -> done.get() == 5);
        assertThat(begun).hasValue(5);
    }

    @Test
    void eachTaskFreesItsPlaceEvenIfItFails() {
        RequestQueue lane = new RequestQueue("lane", 1, 0, RETRY_AFTER);
        AtomicInteger done = new AtomicInteger();

        for (int i = 1; i <= 20; i++) {
            int nth = i;
            await(
                    () ->
                            isAdmitted(
                                    lane,
                                    () -> {
                                        done.incrementAndGet();
                                        if (nth % 2 == 0) {
                                            throw new IllegalStateException("fails as planned");
                                        }
                                    }));
        }

        await(() -> done.get() == 20);
    }

    private static boolean isAdmitted(RequestQueue lane, Runnable task) {
        try {
            lane.run(task);
            return true;
        } catch (Refusal busy) {
            return false;
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited too long").isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }
}
