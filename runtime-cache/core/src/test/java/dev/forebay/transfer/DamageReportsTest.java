package dev.forebay.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@SuppressWarnings("NullAway.Init") // set before each test
class DamageReportsTest {

    private static final Digest MANIFEST = new Digest("a".repeat(64));
    private static final PackId PACK = new PackId(new Digest("b".repeat(64)));

    /** More reports than may be sent at once. */
    private static final int MANY = 20;

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final WorkerClient client = new WorkerClient(WorkerClientConfig.defaults());
    private final DamageReports reports = new DamageReports(client);
    private FakeWorker worker;

    @BeforeEach
    void start() throws IOException {
        worker = new FakeWorker("damaged", new byte[0]);
    }

    @AfterEach
    void close() {
        worker.close();
        client.close();
    }

    @Test
    void aFinishedReportReleasesItsPermit() {
        worker.json("{\"verdict\":\"REPAIRED\"}");
        reportOneByOne(0);
        worker.refuse(503, "UNAVAILABLE");
        reportOneByOne(MANY);
    }

    private void reportOneByOne(int first) {
        for (int i = first; i < first + MANY; i++) {
            ChunkId chunk = new ChunkId(PACK, i);
            long deadline = System.nanoTime() + TIMEOUT.toNanos();
            // A report's permit is released shortly after its answer. Until then, no other report
            // is sent.
            do {
                assertThat(System.nanoTime()).as("report of %s", chunk).isLessThan(deadline);
                reports.consider(worker.node(), MANIFEST, chunk, damage());
            } while (!isReported(chunk, Duration.ofMillis(100)));
        }
    }

    @Test
    void onlyDamageIsReported() {
        ForebayException away = new ForebayException(ErrorCode.UNAVAILABLE, "away");
        reports.consider(worker.node(), MANIFEST, new ChunkId(PACK, 0), away);
        ChunkId damaged = new ChunkId(PACK, 1);
        worker.json("{\"verdict\":\"REPAIRED\"}");

        reports.consider(worker.node(), MANIFEST, damaged, damage());

        assertThat(isReported(damaged, TIMEOUT)).isTrue();
        assertThat(worker.requests()).hasSize(1);
    }

    private static ForebayException damage() {
        return new ForebayException(ErrorCode.CORRUPT, "a checksum is wrong");
    }

    private boolean isReported(ChunkId chunk, Duration timeout) {
        String request = "POST " + WorkerProtocol.verify(chunk, MANIFEST);
        return worker.awaitRequests(request::equals, 1, timeout);
    }
}
