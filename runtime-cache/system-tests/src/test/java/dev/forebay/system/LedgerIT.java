package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Compares the ledger with the lake's access log: "The ledger" in docs/semantics.md. {@link
 * FillCrash} does the same while processes die.
 */
@ExtendWith(SharedStack.class)
class LedgerIT {

    private static final int CHUNK = CrashDataset.CHUNK;
    private static final int CHUNKS = 4;
    private static final String REGION = RunningStack.VIRGINIA;

    private final RunningStack stack;
    private final LedgerOfLake ledger;

    LedgerIT(RunningStack stack) {
        this.stack = stack;
        this.ledger = new LedgerOfLake(stack, CHUNK);
    }

    /** "The ledger": two regions, and versions that share unchanged objects. */
    @Test
    void theLedgerChargesEachRegionAndVersionForItsOwnFetches() throws Exception {
        CrashDataset dataset = CrashDataset.of("bill/shared", CHUNKS, 0);
        dataset.register(stack);
        Api api = stack.api();
        api.ensure("bill/shared@v1", REGION);
        api.ensure("bill/shared@v1", RunningStack.KOREA);
        stack.lake().put(dataset.prefix() + "new.bin", bytes(99, CHUNK));
        api.ensure("bill/shared@v2", REGION);

        ledger.awaitAsLogged(dataset.name(), dataset.prefix(), 0);

        JsonNode byVersion =
                ledger.costs(dataset.name(), "&by=version&region=" + REGION).get("items");
        assertThat(byVersion.at("/0/lake/bytes").asLong()).isEqualTo((long) CHUNKS * CHUNK);
        assertThat(byVersion.at("/1/lake/bytes").asLong()).isEqualTo(CHUNK);
        JsonNode byRegion = ledger.costs(dataset.name(), "&by=region").get("items");
        assertThat(byRegion.at("/0/key").asText()).isEqualTo(RunningStack.KOREA);
        assertThat(byRegion.at("/0/lake/requests").asInt()).isEqualTo(CHUNKS);
        assertThat(byRegion.at("/1/lake/requests").asInt()).isEqualTo(CHUNKS + 1);
    }
}
