package dev.forebay.agent.workers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.DropAnswer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ChunkDropTest {

    private final FakeWorkers workers = new FakeWorkers().with("w1", "w2");

    @Test
    void everyWorkerDropsItsChunks() {
        workers.holds("w1", 0);
        workers.holds("w2", 1);

        drop(workers, Duration.ofSeconds(5));

        assertThat(workers.holdsNothing("w1")).isTrue();
        assertThat(workers.holdsNothing("w2")).isTrue();
    }

    @Test
    void aDropContinuesWithoutAWorkerThatStaysDown() {
        workers.holds("w1", 0);
        workers.down("w2");

        drop(workers, Duration.ofMillis(300));

        assertThat(workers.holdsNothing("w1")).isTrue();
    }

    @Test
    void aDropDoesNotWaitForAWorkerWhoseGracePeriodHasPassed() {
        AtomicLong nanos = new AtomicLong();
        AbsentWorkers absences =
                new AbsentWorkers(workers::view, Duration.ofMinutes(5), nanos::get);
        workers.holds("w1", 0);
        workers.down("w2");
        absences.check();
        nanos.addAndGet(Duration.ofMinutes(5).toNanos());

        new ChunkDrop(workers, absences).drop(FakeWorkers.MANIFEST);

        assertThat(workers.holdsNothing("w1")).isTrue();
    }

    @Test
    void aDropFailsIfALiveWorkerDoesNotAnswer() {
        assertThatThrownBy(() -> drop(refusing(ErrorCode.UNAVAILABLE), Duration.ofMillis(200)))
                .isInstanceOf(ForebayException.class);
    }

    @Test
    void aDropFailsIfAWorkerReportsAPin() {
        assertThatThrownBy(() -> drop(refusing(ErrorCode.PINNED), Duration.ofSeconds(5)))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.PINNED));
    }

    @Test
    void aDropSucceedsOnAWorkerThatDoesNotKnowTheVersion() {
        drop(refusing(ErrorCode.NOT_FOUND), Duration.ofSeconds(5));
    }

    private Workers refusing(ErrorCode code) {
        return new ForwardingWorkers(workers) {
            @Override
            public DropAnswer drop(WorkerNode worker, Digest manifest) {
                throw new ForebayException(code, "refused");
            }
        };
    }

    private static void drop(Workers workers, Duration grace) {
        new ChunkDrop(workers, new AbsentWorkers(workers::view, grace, System::nanoTime))
                .drop(FakeWorkers.MANIFEST);
    }
}
