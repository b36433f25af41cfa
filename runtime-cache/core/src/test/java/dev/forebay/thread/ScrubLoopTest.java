package dev.forebay.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ScrubLoopTest {

    private static final Duration LONG = Duration.ofDays(1);

    private final Queue<String> verified = new ConcurrentLinkedQueue<>();
    private final CountDownLatch rounds = new CountDownLatch(2);

    private final ScrubLoop.Source<String> source =
            new ScrubLoop.Source<>() {
                @Override
                public Iterator<String> items() {
                    return List.of("a", "b", "c").iterator();
                }

                @Override
                public void verify(String item, ScrubLoop.Pace pace) {
                    verified.add(item);
                    if (item.equals("b")) {
                        throw new InternalError("simulated");
                    }
                    boolean _ = pace.endsAfter(1);
                }

                @Override
                public void completed() {
                    rounds.countDown();
                }
            };

    private ScrubLoop<String> loop(long bytesPerSecond, Duration pause) {
        return new ScrubLoop<>(Thread.ofVirtual(), source, bytesPerSecond, pause);
    }

    @Test
    void aFailureEndsNoRound() {
        try (ScrubLoop<String> loop = loop(1 << 30, LONG)) {
            assertThat(loop.round()).isTrue();
        }
        assertThat(verified).containsExactly("a", "b", "c");
        assertThat(rounds.getCount()).isEqualTo(1);
    }

    @Test
    void roundsAreRepeated() throws InterruptedException {
        try (ScrubLoop<String> loop = loop(1 << 30, Duration.ofMillis(1))) {
            loop.start();
            assertThat(rounds.await(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Test
    void aClosedLoopEndsWithinARound() {
        ScrubLoop<String> loop = loop(1, LONG);
        loop.close();
        assertThat(loop.round()).isFalse();
        assertThat(verified).containsExactly("a");
        assertThat(rounds.getCount()).isEqualTo(2);
    }
}
