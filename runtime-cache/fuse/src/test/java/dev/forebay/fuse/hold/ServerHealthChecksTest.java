package dev.forebay.fuse.hold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.thread.PeriodicTask;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ServerHealthChecksTest {

    private static final Duration INTERVAL = Duration.ofMillis(1);
    private static final String SERVER = "server";

    private @Nullable PeriodicTask watch;

    private void watch(ServerHealthChecks<String> pulses) {
        pulses.add(SERVER);
        watch =
                new PeriodicTask(
                                Thread.ofPlatform().daemon(),
                                INTERVAL,
                                "Simulated",
                                () -> pulses.pingAll(INTERVAL))
                        .startAfterPause();
    }

    @AfterEach
    void end() {
        if (watch != null) {
            watch.close();
        }
    }

    private static void await(CountDownLatch event) throws InterruptedException {
        assertThat(event.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aFailedPingIsRepeated() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        AtomicInteger questions = new AtomicInteger();
        watch(
                new ServerHealthChecks<>(
                        new ServerHealthChecks.Orders<>() {
                            @Override
                            public void ask(String server) {
                                if (questions.incrementAndGet() == 1) {
                                    throw new OutOfMemoryError("simulated");
                                }
                                asked.countDown();
                            }

                            @Override
                            public void replace(String server) {}
                        },
                        Duration.ofMinutes(1)));
        await(asked);
    }

    @Test
    void anAppointedServerThatAnswersAndDoesNotServeIsReplaced() throws Exception {
        CountDownLatch replaced = new CountDownLatch(1);
        CompletableFuture<ServerHealthChecks<String>> asking = new CompletableFuture<>();
        ServerHealthChecks<String> pulses =
                new ServerHealthChecks<>(
                        new ServerHealthChecks.Orders<>() {
                            @Override
                            public void ask(String server) {
                                asking.join().answered(server);
                            }

                            @Override
                            public void replace(String server) {
                                replaced.countDown();
                            }
                        },
                        Duration.ofMillis(100));
        asking.complete(pulses);
        watch(pulses);
        pulses.appoint(SERVER);
        await(replaced);
    }

    @Test
    void aFailedReplacementOfASilentServerIsRetried() throws Exception {
        CountDownLatch attempts = new CountDownLatch(2);
        AtomicInteger questions = new AtomicInteger();
        ServerHealthChecks.Orders<String> orders =
                new ServerHealthChecks.Orders<>() {
                    @Override
                    public void ask(String server) {
                        questions.incrementAndGet();
                    }

                    @Override
                    public void replace(String server) {
                        attempts.countDown();
                        throw new OutOfMemoryError("simulated");
                    }
                };
        ServerHealthChecks<String> pulses =
                new ServerHealthChecks<>(orders, Duration.ofMillis(200));
        watch(pulses);
        while (questions.get() == 0) {
            Thread.onSpinWait();
        }
        pulses.answered(SERVER);
        await(attempts);
    }
}
