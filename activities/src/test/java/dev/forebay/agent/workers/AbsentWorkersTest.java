package dev.forebay.agent.workers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** "The grace period": when it starts, and for which workers. */
class AbsentWorkersTest {

    private static final Duration GRACE = Duration.ofSeconds(60);

    private final FakeWorkers workers = new FakeWorkers().with("w1", "w2");
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final AbsentWorkers absences = new AbsentWorkers(workers::view, GRACE, nanos::get);

    @Test
    void theGracePeriodStartsWhenTheAgentNoticesTheLoss() {
        pass(GRACE.multipliedBy(5));
        workers.down("w1");
        absences.check();
        pass(GRACE.minusNanos(1));
        assertThat(absences.isGone("w1")).isFalse();
        pass(Duration.ofNanos(1));

        assertThat(absences.isGone("w1")).isTrue();
        assertThat(absences.isGone("w2")).isFalse();
    }

    @Test
    void anAgentThatStartsLaterCountsTheGracePeriodFromItsStart() {
        workers.down("w1");
        absences.check();
        pass(GRACE);
        AbsentWorkers later = new AbsentWorkers(workers::view, GRACE, nanos::get);
        later.check();

        assertThat(later.isGone("w1")).isFalse();
        pass(GRACE);
        assertThat(later.isGone("w1")).isTrue();
    }

    @Test
    void aWorkerThatReturnsGetsANewGracePeriod() {
        workers.down("w1");
        absences.check();
        pass(GRACE);
        workers.up("w1");
        absences.check();
        assertThat(absences.isGone("w1")).isFalse();
        workers.down("w1");

        assertThat(absences.isGone("w1")).isFalse();
        pass(GRACE);
        assertThat(absences.isGone("w1")).isTrue();
    }

    @Test
    void anUnregisteredWorkerIsGoneUnlessItIsLive() {
        workers.remove("w1");
        workers.remove("w2");
        workers.down("w2");

        assertThat(absences.isGone("w1")).isFalse();
        assertThat(absences.isGone("w2")).isTrue();
    }

    @Test
    void retriesStopAtTheTimeoutForALiveWorkerAndAfterTheGracePeriodForALostOne() {
        WorkerRetries over = new WorkerRetries(Duration.ZERO);
        workers.down("w1");

        assertThat(absences.pause("w2", over)).isFalse();
        assertThat(absences.pause("w1", over)).isTrue();
        pass(GRACE);
        assertThat(absences.pause("w1", new WorkerRetries(GRACE))).isFalse();
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }
}
