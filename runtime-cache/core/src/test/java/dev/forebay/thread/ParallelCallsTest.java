package dev.forebay.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ParallelCallsTest {

    private static final List<Integer> INPUTS = IntStream.range(0, 20).boxed().toList();

    private static void meet(CyclicBarrier barrier) {
        try {
            int _ = barrier.await(1, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void allCallsRunAtOnceAndResultsAreInOrder() {
        CyclicBarrier together = new CyclicBarrier(INPUTS.size());
        assertThat(
                        ParallelCalls.map(
                                INPUTS,
                                i -> {
                                    meet(together);
                                    return i + 1;
                                }))
                .isEqualTo(IntStream.rangeClosed(1, 20).boxed().toList());
        assertThat(ParallelCalls.map(List.<Integer>of(), i -> i)).isEmpty();
    }

    @Test
    void noMoreCallsThanAllowedRunAtOnce() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Integer> _ =
                ParallelCalls.map(
                        INPUTS,
                        3,
                        i -> {
                            most.accumulateAndGet(running.incrementAndGet(), Math::max);
                            Thread.onSpinWait();
                            return running.decrementAndGet();
                        });
        assertThat(most).hasValueBetween(1, 3);
    }

    @Test
    void noCallStartsAfterAFailure() {
        Queue<Integer> made = new ConcurrentLinkedQueue<>();
        assertThatThrownBy(
                        () ->
                                ParallelCalls.forEach(
                                        INPUTS.iterator(),
                                        1,
                                        i -> {
                                            made.add(i);
                                            if (i == 2) {
                                                throw new IllegalArgumentException("no");
                                            }
                                        }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no");
        assertThat(made).containsExactly(0, 1, 2);
    }

    @Test
    void anErrorOfACallIsAFailure() {
        assertThatThrownBy(
                        () ->
                                ParallelCalls.forEach(
                                        INPUTS,
                                        i -> {
                                            throw new OutOfMemoryError("simulated");
                                        }))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasRootCauseInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void anInterruptOfTheCallerInterruptsTheCalls() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch thrown = new CountDownLatch(1);
        Thread caller =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    boolean _ =
                                            CatchAll.run(
                                                    () ->
                                                            ParallelCalls.forEach(
                                                                    List.of(1),
                                                                    _ ->
                                                                            waitForever(
                                                                                    begun,
                                                                                    interrupted)),
                                                    _ -> thrown.countDown());
                                });
        assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();

        caller.interrupt();

        assertThat(interrupted.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(thrown.await(1, TimeUnit.MINUTES)).isTrue();
    }

    private static void waitForever(CountDownLatch begun, CountDownLatch interrupted) {
        begun.countDown();
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            interrupted.countDown();
        }
    }

    @Test
    void failedAndLateAnswersAreEmpty() {
        assertThat(
                        ParallelCalls.answers(
                                List.of(1, 2, 3),
                                Duration.ofMillis(300),
                                i -> {
                                    switch (i) {
                                        case 1 -> {}
                                        case 2 -> throw new OutOfMemoryError("simulated");
                                        default -> Pauses.sleep(Duration.ofDays(1));
                                    }
                                    return i;
                                }))
                .containsExactly(Optional.of(1), Optional.empty(), Optional.empty());
    }
}
