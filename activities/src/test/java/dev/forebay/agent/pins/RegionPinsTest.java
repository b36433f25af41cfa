package dev.forebay.agent.pins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The number of questions that etcd gets at once. */
class RegionPinsTest {

    @Test
    void requestsToEtcdRunConcurrentlyUpToTheLimit() {
        // Answers arrive only when this many questions wait.
        CyclicBarrier together = new CyclicBarrier(RegionPins.AT_ONCE);
        AtomicInteger under = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();

        var found =
                RegionPins.found(
                        IntStream.range(0, 4 * RegionPins.AT_ONCE).boxed().toList(),
                        id -> {
                            most.accumulateAndGet(under.incrementAndGet(), Math::max);
                            await(together);
                            under.decrementAndGet();
                            return id % 2 == 0 ? Optional.of(id) : Optional.empty();
                        });

        assertThat(found).hasSize(2 * RegionPins.AT_ONCE).contains(0, 62).doesNotContain(1);
        assertThat(most).hasValueLessThanOrEqualTo(RegionPins.AT_ONCE);
    }

    @Test
    void aFailedRequestFailsTheWholeCall() {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(
                        () ->
                                RegionPins.found(
                                        IntStream.range(0, 40).boxed().toList(),
                                        id -> {
                                            if (id == 30) {
                                                throw new ForebayException(
                                                        ErrorCode.UNAVAILABLE, "etcd is away");
                                            }
                                            return Optional.of(id);
                                        }))
                .matches(e -> e.code() == ErrorCode.UNAVAILABLE);
    }

    @Test
    void aFailedRequestStopsTheRemainingOnes() {
        AtomicInteger asked = new AtomicInteger();

        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(
                        () ->
                                RegionPins.found(
                                        IntStream.range(0, 1_000).boxed().toList(),
                                        _ -> {
                                            asked.incrementAndGet();
                                            throw new ForebayException(
                                                    ErrorCode.UNAVAILABLE, "etcd is away");
                                        }));
        assertThat(asked).hasValueLessThanOrEqualTo(RegionPins.AT_ONCE);
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException("they are not asked at once", e);
        }
    }
}
