package dev.forebay.agent.repair;

import static dev.forebay.agent.workers.FakeWorkers.MANIFEST;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.agent.workers.FakeManifest;
import dev.forebay.agent.workers.FakeWorkers;
import dev.forebay.model.ManifestRef;
import dev.forebay.service.gateway.VerifyReport;
import dev.forebay.service.gateway.VerifyRequest;
import org.junit.jupiter.api.Test;

class ChunkAuditTest {

    private static final int CHUNKS = 40;
    private static final ManifestRef REF = new ManifestRef("s3://b/k", MANIFEST, 1, 1, CHUNKS);

    private final FakeWorkers workers = new FakeWorkers().with("one", "other");
    private final ChunkAudit audit = new ChunkAudit(workers, _ -> new FakeManifest(CHUNKS));

    private VerifyReport verified(long from, long seconds) {
        return audit.of(new VerifyRequest(REF, from, seconds));
    }

    @Test
    void theAuditVerifiesEveryCopyAndCountsDamagedOnes() {
        workers.holds("one", 0, 1, 39);
        workers.holds("other", 1, 2);
        workers.damage("other", 1);

        assertThat(verified(0, 60)).isEqualTo(new VerifyReport(CHUNKS, true, 4, 1, 0));
        assertThat(verified(0, 60)).as("again").isEqualTo(new VerifyReport(CHUNKS, true, 5, 0, 0));
    }

    @Test
    void theNextAuditContinuesWhereTheLastOneRanOutOfTime() {
        workers.holds("one", 0, 39);

        VerifyReport first = verified(0, 0);
        assertThat(first.done()).isFalse();
        assertThat(first.next()).isBetween(1L, CHUNKS - 1L);
        VerifyReport second = verified(first.next(), 60);

        assertThat(second.done()).isTrue();
        assertThat(first.intact() + second.intact()).isEqualTo(2);
    }

    @Test
    void theReportCountsAWorkerThatDoesNotAnswer() {
        workers.holds("one", 0);
        workers.holds("other", 1);
        workers.down("other");

        assertThat(verified(0, 60)).isEqualTo(new VerifyReport(CHUNKS, true, 1, 0, 1));
    }

    /** It may count chunks that it does not hold, and would then verify none of them. */
    @Test
    void theReportCountsAWorkerWhoseByteCountContradictsTheManifest() {
        workers.holds("one", 0);
        workers.holds("other", 1);
        workers.saysItHolds("other", 1);

        assertThat(verified(0, 60)).isEqualTo(new VerifyReport(CHUNKS, true, 1, 0, 1));
        assertThat(workers.disagreed()).containsExactly("other");
    }
}
