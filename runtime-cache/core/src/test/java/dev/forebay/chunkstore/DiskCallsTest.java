package dev.forebay.chunkstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DiskCallsTest {

    private static final Duration TIMEOUT = Duration.ofMillis(500);

    private final DiskCalls calls = new DiskCalls(Path.of("disk"), new DiskLimits(2, TIMEOUT));
    private final CountDownLatch hung = new CountDownLatch(1);
    private final CountDownLatch answered = new CountDownLatch(1);
    private final CountDownLatch first = new CountDownLatch(1);
    private final CountDownLatch second = new CountDownLatch(1);

    @AfterEach
    void close() {
        first.countDown();
        second.countDown();
        calls.close();
    }

    private Future<Optional<Boolean>> call(ExecutorService threads, CountDownLatch until) {
        return threads.submit(
                () ->
                        calls.call(
                                () -> {
                                    until.await();
                                    return true;
                                }));
    }

    @Test
    void aHungDiskAnswersWhenTheLastOfItsCallsEnds() throws Exception {
        calls.onHang(_ -> hung.countDown());
        calls.onAnswer(answered::countDown);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Optional<Boolean>> one = call(threads, first);
            Future<Optional<Boolean>> other = call(threads, second);
            assertThat(one.get()).as("the caller stopped waiting").isEmpty();
            assertThat(other.get()).isEmpty();
            assertThat(hung.await(0, TimeUnit.SECONDS)).isTrue();

            first.countDown();
            assertThat(answered.await(2 * TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
            second.countDown();
            assertThat(answered.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(calls.call(() -> true)).as("the disk stays given up").isEmpty();
        }
    }

    /**
     * The disk is slow for a while before it hangs, so a call that queues has waited longer than
     * the calls that hang.
     */
    @Test
    void callsThatQueueOnAHungDiskEndLikeThoseThatRun() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Optional<Boolean>>> slow =
                    List.of(call(threads, first), call(threads, first));
            List<Future<Optional<Boolean>>> hanging =
                    List.of(call(threads, second), call(threads, second), call(threads, second));
            assertThat(second.await(TIMEOUT.toMillis() / 2, TimeUnit.MILLISECONDS)).isFalse();
            first.countDown();

            for (Future<Optional<Boolean>> each : slow) {
                assertThat(each.get()).contains(true);
            }
            for (Future<Optional<Boolean>> each : hanging) {
                assertThat(each.get()).isEmpty();
            }
        }
    }

    @Test
    void aClosedDiskDoesNotReportAnAnswer() throws Exception {
        calls.onAnswer(answered::countDown);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            assertThat(call(threads, first).get()).isEmpty();
            calls.close();
            first.countDown();
            assertThat(answered.await(2 * TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
        }
    }
}
