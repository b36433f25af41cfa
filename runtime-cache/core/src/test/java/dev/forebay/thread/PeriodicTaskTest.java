package dev.forebay.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PeriodicTaskTest {

    private static final Duration SOON = Duration.ofMillis(1);
    private static final Duration LONG = Duration.ofDays(1);

    private static PeriodicTask task(Duration pause, CatchAll.Work work) {
        return new PeriodicTask(Thread.ofVirtual(), pause, "A test fails", work);
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void theTaskRunsAgainAfterFailures() throws InterruptedException {
        CountDownLatch runs = new CountDownLatch(4);
        try (PeriodicTask failing =
                task(
                        SOON,
                        () -> {
                            runs.countDown();
                            if (runs.getCount() % 2 == 0) {
                                throw new IllegalStateException("not this time");
                            }
                            throw new OutOfMemoryError("simulated");
                        })) {
            failing.start();
            await(runs);
        }
    }

    @Test
    void aFailedRunIsRepeatedAfterItsOwnPause() throws InterruptedException {
        CountDownLatch runs = new CountDownLatch(2);
        try (PeriodicTask failing =
                new PeriodicTask(
                        Thread.ofVirtual(),
                        LONG,
                        SOON,
                        "A test fails",
                        () -> {
                            runs.countDown();
                            throw new IllegalStateException("not this time");
                        })) {
            failing.start();
            await(runs);
        }
    }

    @Test
    void wakeEndsThePause() throws InterruptedException {
        CountDownLatch runs = new CountDownLatch(1);
        try (PeriodicTask task = task(LONG, runs::countDown).startAfterPause()) {
            task.wake();
            await(runs);
        }
    }

    @Test
    void noRunBeginsAfterTheClose() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger ended = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(1);
        PeriodicTask task =
                new PeriodicTask(
                        Thread.ofVirtual(),
                        Duration.ZERO,
                        Duration.ZERO,
                        "A test fails",
                        () -> {
                            begun.countDown();
                            goOn.await();
                            ended.incrementAndGet();
                        },
                        all::countDown);
        task.start();
        await(begun);

        task.close();
        goOn.countDown();

        await(all);
        assertThat(ended).hasValue(1);
    }

    @Test
    void interruptEndsTheCurrentRun() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        PeriodicTask task =
                task(
                        Duration.ZERO,
                        () -> {
                            begun.countDown();
                            new CountDownLatch(1).await();
                        });
        task.start();
        await(begun);

        task.interrupt();
        task.close(Duration.ofMinutes(1));

        assertThat(task.isClosing()).isTrue();
    }

    @Test
    void aTaskThatWasNeverStartedCanBeClosed() {
        PeriodicTask task = task(LONG, () -> {});
        task.close(Duration.ofMinutes(1));
        assertThat(task.isClosing()).isTrue();
    }
}
