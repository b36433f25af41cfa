package dev.forebay.service.temporal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.temporal.activity.ActivityExecutionContext;
import io.temporal.client.ActivityCanceledException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class HeartbeatTest {

    private static final Duration SOON = Duration.ofMillis(5);
    private static final Duration NEVER = Duration.ofDays(1);

    private final Thread worker = Thread.currentThread();
    private final List<Object> beats = Collections.synchronizedList(new ArrayList<>());

    @Test
    void shortWorkSendsNoHeartbeat() {
        assertThat(during(beats::add, NEVER, () -> "done")).isEqualTo("done");
        assertThat(beats).isEmpty();
    }

    @Test
    void longWorkSendsHeartbeatsRepeatedly() {
        CountDownLatch three = new CountDownLatch(3);
        Consumer<Object> temporal =
                details -> {
                    beats.add(details);
                    three.countDown();
                };

        during(temporal, SOON, () -> await(three));

        assertThat(beats).startsWith("cursor", "cursor", "cursor");
    }

    @Test
    void theEndOfTheWorkDoesNotInterruptAHeartbeat() {
        CountDownLatch underWay = new CountDownLatch(1);
        CountDownLatch workIsDone = new CountDownLatch(1);
        Consumer<Object> temporal =
                details -> {
                    underWay.countDown();
                    // Simulates a slow call to Temporal that an interrupt would end.
                    await(workIsDone);
                    beats.add(Thread.currentThread().isInterrupted() ? "interrupted" : "whole");
                };
        Thread.ofVirtual()
                .start(
                        () -> {
                            await(underWay);
                            // Waiting for the heartbeat is its only wait without a limit.
                            while (worker.getState() != Thread.State.WAITING) {
                                Thread.onSpinWait();
                            }
                            workIsDone.countDown();
                        });

        during(temporal, SOON, () -> await(underWay));

        assertThat(beats).startsWith("whole").doesNotContain("interrupted");
    }

    @Test
    void aCancellationInterruptsTheWork() {
        Consumer<Object> temporal =
                details -> {
                    throw new ActivityCanceledException();
                };

        assertThatThrownBy(() -> during(temporal, SOON, () -> await(new CountDownLatch(1))))
                .isInstanceOf(ActivityCanceledException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** Otherwise Temporal would consider the work alive and not retry it elsewhere. */
    @Test
    void noHeartbeatFollowsAnError() throws InterruptedException {
        CountDownLatch failed = new CountDownLatch(1);
        CountDownLatch later = new CountDownLatch(1);
        Consumer<Object> temporal =
                details -> {
                    if (failed.getCount() == 0) {
                        later.countDown();
                    }
                };
        Supplier<String> work =
                () -> {
                    throw new OutOfMemoryError("of a test");
                };

        assertThatThrownBy(() -> during(temporal, SOON, work)).isInstanceOf(OutOfMemoryError.class);
        failed.countDown();

        assertThat(later.await(200, TimeUnit.MILLISECONDS)).isFalse();
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static <T> T during(Consumer<Object> temporal, Duration interval, Supplier<T> work) {
        return Heartbeat.during(activity(temporal), () -> "cursor", interval, work);
    }

    /** Returns a context that only accepts heartbeats. */
    private static ActivityExecutionContext activity(Consumer<Object> temporal) {
        return (ActivityExecutionContext)
                Proxy.newProxyInstance(
                        HeartbeatTest.class.getClassLoader(),
                        new Class<?>[] {ActivityExecutionContext.class},
                        (proxy, method, arguments) -> {
                            assertThat(method.getName()).isEqualTo("heartbeat");
                            temporal.accept(arguments[0]);
                            return null;
                        });
    }
}
