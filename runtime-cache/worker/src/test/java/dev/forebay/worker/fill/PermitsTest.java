package dev.forebay.worker.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PermitsTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    private final BlockingQueue<String> served = new LinkedBlockingQueue<>();

    @Test
    void demandGoesBeforePrefetch() throws Exception {
        Permits permits = new Permits("a thing", 1, 10);
        permits.acquire(Urgency.prefetch(), LONG);
        queue(permits, "prefetch", Urgency.prefetch(), 1);
        queue(permits, "demand", Urgency.demand(), 2);

        permits.release();

        assertThat(List.of(next(), next())).containsExactly("demand", "prefetch");
    }

    @Test
    void aPrefetchThatBecomesUrgentMovesForward() throws Exception {
        Permits permits = new Permits("a thing", 1, 10);
        permits.acquire(Urgency.prefetch(), LONG);
        Urgency raised = Urgency.prefetch();
        queue(permits, "first", Urgency.prefetch(), 1);
        queue(permits, "raised", raised, 2);
        raised.raise();

        permits.release();

        assertThat(List.of(next(), next())).containsExactly("raised", "first");
    }

    @Test
    void theRestOfAChunkWaitsLikePrefetchUntilItBecomesUrgent() throws Exception {
        Permits permits = new Permits("a thing", 1, 10);
        permits.acquire(Urgency.prefetch(), LONG);
        Urgency raised = Urgency.demand();
        queue(permits, "rest", Urgency.demand().ofRest(), 1);
        queue(permits, "raised rest", raised.ofRest(), 2);
        queue(permits, "demand", Urgency.demand(), 3);
        raised.raise();

        permits.release();

        assertThat(List.of(next(), next(), next()))
                .containsExactly("raised rest", "demand", "rest");
    }

    @Test
    void aFullQueueRefusesFurtherCallers() throws Exception {
        Permits permits = new Permits("a thing", 1, 1);
        permits.acquire(Urgency.demand(), LONG);
        queue(permits, "waits", Urgency.demand(), 1);

        assertThatThrownBy(() -> permits.acquire(Urgency.demand(), LONG))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("1 other requests already wait for a thing");
        permits.release();
        assertThat(next()).isEqualTo("waits");
    }

    @Test
    void aCallerThatTimesOutUsesNoPermit() {
        Permits permits = new Permits("a thing", 1, 10);
        permits.acquire(Urgency.demand(), LONG);

        assertThatThrownBy(() -> permits.acquire(Urgency.demand(), Duration.ofMillis(5)))
                .hasMessageContaining("no permit for a thing in time");

        permits.release();
        permits.acquire(Urgency.demand(), Duration.ZERO);
    }

    private void queue(Permits permits, String name, Urgency urgency, int expectedWaiting) {
        Thread.startVirtualThread(
                () -> {
                    permits.acquire(urgency, LONG);
                    served.add(name);
                    permits.release();
                });
        while (permits.waiting() < expectedWaiting) {
            Thread.onSpinWait();
        }
    }

    private String next() throws InterruptedException {
        return String.valueOf(served.poll(20, TimeUnit.SECONDS));
    }
}
