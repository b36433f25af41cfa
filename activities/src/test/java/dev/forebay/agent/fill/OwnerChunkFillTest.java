package dev.forebay.agent.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.agent.workers.AbsentWorkers;
import dev.forebay.agent.workers.FakeManifest;
import dev.forebay.agent.workers.FakeWorkers;
import dev.forebay.agent.workers.ForwardingWorkers;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.FillAnswer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OwnerChunkFillTest {

    private static final ChunkRef CHUNK =
            new ChunkRef(
                    3, new ChunkId(FakeManifest.PACK, 3), ChunkId.CHUNK_BYTES, ChunkId.CHUNK_BYTES);

    private final FakeWorkers workers = new FakeWorkers().with("w1", "w2", "w3");
    private final String owner =
            Placement.rank(CHUNK.chunk(), workers.view().workers()).get(0).id();
    private final String second =
            Placement.rank(CHUNK.chunk(), workers.view().workers()).get(1).id();

    @Test
    void aFillAsksTheOwner() {
        fill(Duration.ofSeconds(5));

        assertThat(workers.fills()).containsExactly(owner + " 3");
    }

    @Test
    void aFillWaitsForAnOwnerThatRestarts() {
        workers.down(owner);
        Thread restart = Thread.ofVirtual().unstarted(() -> workers.up(owner));
        AtomicInteger looks = new AtomicInteger();
        OwnerChunkFill fill =
                new OwnerChunkFill(
                        new ForwardingWorkers(workers) {
                            @Override
                            public FillAnswer fill(
                                    WorkerNode worker, Digest manifest, ChunkId chunk) {
                                if (looks.incrementAndGet() == 3) {
                                    restart.start();
                                }
                                return super.fill(worker, manifest, chunk);
                            }
                        },
                        FakeWorkers.MANIFEST,
                        absences(Duration.ofSeconds(30)));

        fill.fill(CHUNK);

        assertThat(workers.fills()).containsExactly(owner + " 3");
        assertThat(workers.registered()).contains(owner);
    }

    @Test
    void aFillRemovesAnOwnerThatStaysAwayAndAsksTheNextWorker() {
        workers.down(owner);

        fill(Duration.ofMillis(300));

        assertThat(workers.fills()).containsExactly(second + " 3");
        assertThat(workers.registered()).doesNotContain(owner);
    }

    @Test
    void aFillDoesNotWaitForAnOwnerWhoseGracePeriodHasPassed() {
        AtomicLong nanos = new AtomicLong();
        AbsentWorkers absences =
                new AbsentWorkers(workers::view, Duration.ofMinutes(5), nanos::get);
        workers.down(owner);
        absences.check();
        nanos.addAndGet(Duration.ofMinutes(5).toNanos());

        new OwnerChunkFill(workers, FakeWorkers.MANIFEST, absences).fill(CHUNK);

        assertThat(workers.fills()).containsExactly(second + " 3");
        assertThat(workers.registered()).doesNotContain(owner);
    }

    @Test
    void aFillNeverRemovesALiveWorker() {
        workers.filling(
                (worker, chunk) -> {
                    throw new ForebayException(ErrorCode.UNAVAILABLE, "hangs");
                });

        assertThatThrownBy(() -> fill(Duration.ofMillis(300)))
                .isInstanceOf(ForebayException.class)
                .hasMessage("hangs");
        assertThat(workers.registered()).containsExactlyInAnyOrder("w1", "w2", "w3");
    }

    @Test
    void aFillFailsWithTheErrorOfTheOwner() {
        workers.filling(
                (worker, chunk) -> {
                    throw new ForebayException(ErrorCode.LAKE_OBJECT_CHANGED, "changed");
                });

        assertThatThrownBy(() -> fill(Duration.ofSeconds(30)))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_OBJECT_CHANGED));
    }

    @Test
    void aFillRetriesUntilTheOwnerKnowsTheMount() {
        AtomicInteger asked = new AtomicInteger();
        workers.filling(
                (worker, chunk) -> {
                    if (asked.incrementAndGet() < 3) {
                        throw new ForebayException(ErrorCode.NOT_FOUND, "not mounted");
                    }
                    return new FillAnswer(ChunkId.CHUNK_BYTES, 1, 0, 0);
                });

        fill(Duration.ofSeconds(30));

        assertThat(asked).hasValue(3);
    }

    @Test
    void aFillFailsAtOnceIfTheVersionIsNoLongerMounted() {
        workers.unmount();
        workers.filling(
                (worker, chunk) -> {
                    throw new ForebayException(ErrorCode.NOT_FOUND, "not mounted");
                });

        assertThatThrownBy(() -> fill(Duration.ofSeconds(30)))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
    }

    @Test
    void aFillFailsIfTheRegionHasNoWorker() {
        OwnerChunkFill fill =
                new OwnerChunkFill(
                        new FakeWorkers(), FakeWorkers.MANIFEST, absences(Duration.ofMillis(100)));

        assertThatThrownBy(() -> fill.fill(CHUNK))
                .isInstanceOf(ForebayException.class)
                .hasMessageContaining("no worker");
    }

    private void fill(Duration grace) {
        new OwnerChunkFill(workers, FakeWorkers.MANIFEST, absences(grace)).fill(CHUNK);
    }

    private AbsentWorkers absences(Duration grace) {
        return new AbsentWorkers(workers::view, grace, System::nanoTime);
    }
}
