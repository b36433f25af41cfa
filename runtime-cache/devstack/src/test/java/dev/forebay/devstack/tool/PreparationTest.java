package dev.forebay.devstack.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.devstack.DevstackException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PreparationTest {
    private final Queue<String> made = new ConcurrentLinkedQueue<>();

    @Test
    void theSummaryListsMissingItemsAndTheUsualDuration() {
        Preparation preparation =
                new Preparation(
                        List.of(
                                List.of(item("programs", 60, () -> {})),
                                List.of(item("etcd", 35, () -> {}), item("s3", 55, () -> {}))));

        assertThat(preparation.summary())
                .isEqualTo(
                        "Missing: programs, etcd, s3. Preparing them usually takes up to 3 min.");
    }

    @Test
    void queuesRunInParallelAndTheirItemsInOrder() {
        CountDownLatch otherBegan = new CountDownLatch(1);
        new Preparation(
                        List.of(
                                List.of(
                                        item("first", 1, () -> await(otherBegan)),
                                        item("second", 1, () -> {})),
                                List.of(item("other", 1, otherBegan::countDown))))
                .run();

        assertThat(made).containsSubsequence("first", "second").contains("other");
    }

    @Test
    void theFirstFailureInterruptsTheOthersAndIsReported() throws InterruptedException {
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch waits = new CountDownLatch(1);
        Preparation preparation =
                new Preparation(
                        List.of(
                                List.of(
                                        item(
                                                "endless",
                                                1,
                                                () -> {
                                                    waits.countDown();
                                                    awaitInterruption();
                                                    interrupted.countDown();
                                                })),
                                List.of(
                                        item(
                                                "failing",
                                                1,
                                                () -> {
                                                    await(waits);
                                                    throw new DevstackException("no network");
                                                }),
                                        item("after", 1, () -> {}))));

        assertThatThrownBy(preparation::run)
                .isInstanceOf(DevstackException.class)
                .hasMessage("no network");
        assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(made).doesNotContain("after");
    }

    private Preparation.Item item(String name, int seconds, Runnable work) {
        return new Preparation.Item(
                name,
                Duration.ofSeconds(seconds),
                () -> {
                    work.run();
                    made.add(name);
                });
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitInterruption() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException expected) {
            Thread.currentThread().interrupt();
        }
    }
}
