package dev.forebay.fuse.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class AnswerPoolTest {

    private static final int REPLY_BYTES = 100;

    private final AtomicInteger made = new AtomicInteger();

    /** Simulates a JVM with memory for this number of buffers. */
    private Supplier<KernelReplies> upTo(int most) {
        return () -> {
            if (made.get() == most) {
                throw new OutOfMemoryError("Cannot reserve more");
            }
            made.incrementAndGet();
            return new KernelReplies(REPLY_BYTES);
        };
    }

    @Test
    void thePoolCreatesOnlyAsManyBuffersAsAreInUseAtOnce() {
        AnswerPool pool = new AnswerPool(100, upTo(100));
        for (int round = 0; round < 3; round++) {
            List<KernelReplies> taken = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                taken.add(pool.take());
            }
            assertThat(taken).doesNotHaveDuplicates();
            taken.forEach(pool::giveBack);
        }
        assertThat(made).hasValue(5);
    }

    @Test
    void aThreadWaitsForAReturnedBufferWhenMemoryIsShort() throws Exception {
        whoFindsNoneWaitsForWhatOthersGiveBack(new AnswerPool(100, upTo(3)));
    }

    @Test
    void aThreadWaitsForAReturnedBufferWhenTheLimitIsReached() throws Exception {
        whoFindsNoneWaitsForWhatOthersGiveBack(new AnswerPool(3, upTo(100)));
    }

    private void whoFindsNoneWaitsForWhatOthersGiveBack(AnswerPool pool) throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<Integer>> rounds = new ArrayList<>();
            for (int thread = 0; thread < 16; thread++) {
                rounds.add(threads.submit(() -> takeAndGiveBack(pool)));
            }
            for (Future<Integer> done : rounds) {
                assertThat(done.get(120, TimeUnit.SECONDS)).isEqualTo(500);
            }
        }
        assertThat(made).hasValue(3);
    }

    private static int takeAndGiveBack(AnswerPool pool) {
        int rounds = 0;
        while (rounds < 500) {
            KernelReplies answers = pool.take();
            LockSupport.parkNanos(1);
            pool.giveBack(answers);
            rounds++;
        }
        return rounds;
    }

    @Test
    void thePoolFailsWithoutMemoryForOneBuffer() {
        assertThatThrownBy(() -> new AnswerPool(1, upTo(0))).isInstanceOf(OutOfMemoryError.class);
    }
}
