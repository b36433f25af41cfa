package dev.forebay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The order and exclusiveness of keys. */
class WorkQueueTest {

    /** Near its overflow, which the queue must handle. */
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 10);

    private final WorkQueue<String> queue = new WorkQueue<>(now::get);

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void theQueueReturnsTheEarliestKeyFirst() throws InterruptedException {
        queue.add("later", Duration.ofSeconds(2));
        queue.add("sooner", Duration.ofSeconds(1));
        pass(Duration.ofSeconds(5));

        assertThat(queue.take()).contains("sooner");
        assertThat(queue.take()).contains("later");
    }

    @Test
    void aKeyAddedAgainKeepsItsEarliestTimeAndComesOnce() throws InterruptedException {
        queue.add("a", Duration.ofHours(1));
        queue.add("a", Duration.ZERO);
        queue.add("a", Duration.ofMinutes(1));
        queue.add("b", Duration.ofMillis(1));

        assertThat(queue.take()).contains("a");
        pass(Duration.ofHours(2));
        assertThat(queue.take()).contains("b");
    }

    @Test
    void aKeyIsTakenByOneThreadAtATime() throws InterruptedException {
        queue.add("a", Duration.ZERO);
        assertThat(queue.take()).contains("a");
        queue.add("a", Duration.ZERO);
        queue.add("b", Duration.ZERO);

        assertThat(queue.take()).contains("b");
        queue.done("a");
        assertThat(queue.take()).contains("a");
    }

    @Test
    void aWaitingThreadGetsTheNextKeyOrNothingAfterTheClose() throws Exception {
        WorkQueue<String> real = new WorkQueue<>(System::nanoTime);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture<Optional<String>> first =
                    CompletableFuture.supplyAsync(() -> take(real), threads);
            real.add("a", Duration.ofMillis(20));
            assertThat(first.get(30, TimeUnit.SECONDS)).contains("a");

            CompletableFuture<Optional<String>> second =
                    CompletableFuture.supplyAsync(() -> take(real), threads);
            real.close();
            assertThat(second.get(30, TimeUnit.SECONDS)).isEmpty();
        }
    }

    private static Optional<String> take(WorkQueue<String> from) {
        try {
            return from.take();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
