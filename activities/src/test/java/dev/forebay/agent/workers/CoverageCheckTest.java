package dev.forebay.agent.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.workflows.activity.RegionActivities.Coverage;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class CoverageCheckTest {

    private static final long CHUNK = ChunkId.CHUNK_BYTES;

    private final FakeWorkers workers = new FakeWorkers().with("w1", "w2");

    @Test
    void coverageAddsUpTheChunksOfAllWorkers() {
        workers.holds("w1", 0, 2);
        workers.holds("w2", 1, 2, 3);

        Coverage coverage = confirm(4);

        assertThat(coverage).isEqualTo(new Coverage(4 * CHUNK, -1, 0, 0));
        assertThat(coverage.complete()).isTrue();
    }

    @Test
    void coverageNamesTheFirstMissingChunk() {
        workers.holds("w1", 0);
        workers.holds("w2", 3);

        assertThat(confirm(4)).isEqualTo(new Coverage(2 * CHUNK, 1, 0, 0));
    }

    @Test
    void coverageExcludesAWorkerThatIsDown() {
        workers.holds("w1", 0, 1);
        workers.holds("w2", 2, 3);
        workers.down("w2");

        assertThat(confirm(4)).isEqualTo(new Coverage(2 * CHUNK, 2, 0, 0));
    }

    /** A worker with a damaged copy of the manifest may count incomplete chunks as complete. */
    @Test
    void coverageExcludesAWorkerWhoseByteCountContradictsTheManifest() {
        workers.holds("w1", 0, 1);
        workers.holds("w2", 2, 3);
        workers.saysItHolds("w2", 2 * CHUNK - 1);

        assertThat(confirm(4)).isEqualTo(new Coverage(2 * CHUNK, 2, 0, 0));
        assertThat(workers.disagreed()).containsExactly("w2");
    }

    @Test
    void bytesFromLakeAddUpTheReadsOfAllWorkersForThisVersion() {
        workers.holds("w1", 0, 1);
        workers.holds("w2", 1);
        workers.tookFromLake("w1", CHUNK);
        workers.tookFromLake("w2", 2 * CHUNK);

        assertThat(confirm(2).bytesFromLake()).isEqualTo(3 * CHUNK);
        assertThat(
                        new CoverageCheck(workers)
                                .of(
                                        DatasetVersion.parse("a/b@another"),
                                        FakeWorkers.MANIFEST,
                                        new FakeManifest(2))
                                .bytesFromLake())
                .isZero();
    }

    @Test
    void aVersionWithoutBytesIsComplete() {
        assertThat(confirm(0)).isEqualTo(new Coverage(0, -1, 0, 0));
    }

    /** A plan must not promise bytes that a damaged worker only claims. */
    @Test
    void heldChunksExcludeAWorkerWhoseByteCountContradictsTheManifest() {
        workers.holds("w1", 0, 1);
        workers.holds("w2", 2, 3);
        FakeManifest manifest = new FakeManifest(4);
        assertThat(new CoverageCheck(workers).held(FakeWorkers.MANIFEST, manifest))
                .isEqualTo(new CoverageCheck.Held(BitSet.valueOf(new long[] {0b1111}), true));
        workers.saysItHolds("w2", 2 * CHUNK - 1);

        assertThat(new CoverageCheck(workers).held(FakeWorkers.MANIFEST, manifest))
                .isEqualTo(new CoverageCheck.Held(BitSet.valueOf(new long[] {0b0011}), false));
        assertThat(workers.disagreed()).containsExactly("w2");
    }

    private Coverage confirm(long chunks) {
        return new CoverageCheck(workers)
                .of(FakeWorkers.VERSION, FakeWorkers.MANIFEST, new FakeManifest(chunks));
    }
}
