package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.server.Server;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Kills a process with SIGKILL in the middle of a fill. Tests these sections of docs/semantics.md:
 * "An accepted request is not lost", "Each byte is fetched once", "Bytes in a receipt" and "The
 * ledger".
 */
@ExtendWith(SharedStack.class)
abstract class FillCrash {

    private static final int CHUNK = 8 << 20;
    private static final int CHUNKS = 12;

    /** The lake has sent this many chunks when the process dies. */
    private static final int CHUNKS_BEFORE = 4;

    private static final String REGION = RunningStack.VIRGINIA;

    private final RunningStack stack;
    private final LedgerOfLake ledger;

    FillCrash(RunningStack stack) {
        this.stack = stack;
        this.ledger = new LedgerOfLake(stack, CHUNK);
    }

    /**
     * Fills a version while {@code victim} dies. Checks that nothing is lost and that nothing is
     * fetched twice.
     */
    final CrashDataset fillThroughAKill(Victim victim) throws Exception {
        String name = victim.name().toLowerCase(Locale.ROOT).replace('_', '-');
        CrashDataset dataset = CrashDataset.of("crash/" + name, CHUNKS, name.hashCode());
        dataset.register(stack);
        Server server = victim.in(stack, REGION);
        String request;
        try (LakeGate gate = LakeGate.close(stack, dataset.prefix(), CHUNKS_BEFORE)) {
            request =
                    stack.api()
                            .accept(
                                    dataset.version(),
                                    Map.of("region", REGION, "run_id", "train-7"));
            gate.awaitHeld();
            server.kill9();
        }
        server.restart();
        JsonNode receipt =
                stack.api().receipt(dataset.version(), REGION, request, Duration.ofMinutes(3));

        assertThat(receipt.get("bytes_verified").asLong()).isEqualTo(dataset.bytes());
        stack.readAll(REGION, dataset.version(), dataset.tree());
        // Only chunks that were in flight when their worker died may be fetched again.
        int total = dataset.gets(stack);
        assertThat(total).isBetween(CHUNKS, CHUNKS + inFlight(victim));
        // A killed worker cannot have counted the bytes that it was receiving, unlike the lake.
        assertThat(receipt.get("bytes_from_lake").asLong())
                .as("bytes_from_lake")
                .isBetween(
                        (long) (victim == Victim.WORKER ? CHUNKS : total) * CHUNK,
                        (long) total * CHUNK);
        return dataset;
    }

    /** Waits until the ledger has the fill and the bytes sent to readers, once each. */
    final void awaitInLedger(CrashDataset dataset, Victim victim) throws Exception {
        ledger.awaitAsLogged(dataset.name(), dataset.prefix(), inFlight(victim));
        ledger.awaitReadBytes(dataset.name(), dataset.bytes());
    }

    /**
     * Kills a process that has recorded the fill. The ledger must then have this fill and a second
     * one.
     */
    final void fillAgainAfterAKill(CrashDataset dataset, Victim victim) throws Exception {
        Server server = victim.in(stack, REGION);
        server.kill9();
        server.restart();
        evict(dataset);
        String again = stack.api().accept(dataset.version(), Map.of("region", REGION));
        stack.api().receipt(dataset.version(), REGION, again, Duration.ofMinutes(3));

        ledger.awaitAsLogged(dataset.name(), dataset.prefix(), inFlight(victim));
        JsonNode total = ledger.costs(dataset.name(), "").get("total");
        assertThat(total.at("/lake/requests").asInt()).isGreaterThanOrEqualTo(2 * CHUNKS);
        assertThat(total.get("nvme_gb_hours").asDouble()).isPositive();
        JsonNode ofRun = ledger.costs(dataset.name(), "&run_id=train-7").get("total");
        assertThat(ofRun.at("/lake/requests").asInt())
                .as("requests of the first fill, which the run asked for")
                .isBetween(CHUNKS, CHUNKS + inFlight(victim));
    }

    final void evict(CrashDataset dataset) throws Exception {
        stack.api()
                .post(Api.path(dataset.version()) + "/evict", Map.of("region", REGION))
                .expect(200);
    }

    private static int inFlight(Victim victim) {
        return victim == Victim.WORKER ? CrashAudit.FILLS_IN_FLIGHT : 0;
    }
}
