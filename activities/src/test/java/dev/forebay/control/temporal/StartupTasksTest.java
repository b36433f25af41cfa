package dev.forebay.control.temporal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StartupTasksTest {

    private final StartupTasks startupTasks = new StartupTasks(Duration.ofMillis(1));
    private final List<String> done = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        startupTasks.stop();
    }

    @Test
    void aFailedTaskIsRetriedAndDoesNotDelayOthers() throws InterruptedException {
        CountDownLatch over = new CountDownLatch(2);
        AtomicInteger tries = new AtomicInteger();
        startupTasks.add(
                "fails twice",
                () -> {
                    if (tries.incrementAndGet() < 3) {
                        throw new IllegalStateException("not yet");
                    }
                    done.add("first");
                    over.countDown();
                });
        startupTasks.add(
                "does not fail",
                () -> {
                    done.add("second");
                    over.countDown();
                });

        assertThat(over.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(done).containsExactly("second", "first");
    }

    /** With a pause of zero, a retry runs before tasks that are added later. */
    @Test
    void aFailingTaskStopsAfterTheMaximumNumberOfTries() throws InterruptedException {
        StartupTasks atOnce = new StartupTasks(Duration.ZERO);
        try {
            AtomicInteger tries = new AtomicInteger();
            CountDownLatch all = new CountDownLatch(StartupTasks.MOST_TRIES);
            atOnce.add(
                    "fails",
                    () -> {
                        tries.incrementAndGet();
                        all.countDown();
                        throw new IllegalStateException("never");
                    });
            assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();

            // The first task ends after the last attempt. If that wrongly scheduled one more, it
            // would run before the second task.
            for (int i = 0; i < 2; i++) {
                CountDownLatch after = new CountDownLatch(1);
                atOnce.add("is done", after::countDown);
                assertThat(after.await(20, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(tries).hasValue(StartupTasks.MOST_TRIES);
        } finally {
            atOnce.stop();
        }
    }

    @Test
    void stopInterruptsTheRunningTaskAndStartsNoOther() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        startupTasks.add(
                "waits",
                () -> {
                    begun.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.countDown();
                        throw new IllegalStateException(e);
                    }
                });
        startupTasks.add("comes after it", () -> done.add("second"));
        assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();

        startupTasks.stop();

        assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(done).isEmpty();
    }
}
