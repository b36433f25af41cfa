package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.fault.Fault;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Cancels a fill while it runs: "Cancelling a request" in docs/semantics.md. */
@ExtendWith(SharedStack.class)
class CancelIT {

    private static final int CHUNK = 8 << 20;
    private static final int CHUNKS = 32;

    /** Slows the lake so that half of the chunks take four seconds. */
    private static final Fault SLOW = new Fault.Slow(2 << 20);

    private static final String REGION = RunningStack.VIRGINIA;
    private static final String VERSION = "cancel/half@v1";

    private final RunningStack stack;
    private final Api api;
    private final LakeFixture lake;

    CancelIT(RunningStack stack) {
        this.stack = stack;
        this.api = stack.api();
        this.lake = stack.lake();
    }

    @AfterEach
    void mend() {
        stack.lakeProxy().spoil(request -> Fault.NONE);
    }

    /** "Cancelling a request". */
    @Test
    void aCancelledFillStopsWithinSecondsAndLeavesNoPartialState() throws Exception {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < CHUNKS; i++) {
            tree.put("%02d.bin".formatted(i), bytes(i, CHUNK));
        }
        lake.putAll("half/", tree);
        api.register("cancel/half", "s3://datasets/half/", Duration.ofHours(1));
        int before = stack.countChunkFiles(REGION);
        stack.lakeProxy().spoil(request -> SLOW);
        String request =
                api.accept(
                        VERSION,
                        Map.of(
                                "region",
                                REGION,
                                "pin",
                                Map.of("holder", "test", "lease_seconds", 600)));
        Await.until(
                "the fill is under way",
                Duration.ofSeconds(60),
                () -> lake.gets("half/").size() > 4);

        Instant begun = Instant.now();
        api.delete(Api.path(VERSION) + "/requests/" + request).expect(204);

        assertThat(Duration.between(begun, Instant.now())).isLessThan(Duration.ofSeconds(30));
        assertThat(api.residency(VERSION, REGION).get("state").asText()).isEqualTo("ABSENT");
        assertThat(api.get(Api.path(VERSION) + "/pins").expect(200).body().get("items")).isEmpty();
        assertThat(lake.gets("half/")).as("cancelled in the middle").hasSizeLessThan(CHUNKS);
        assertThat(stack.countChunkFiles(REGION)).isLessThanOrEqualTo(before);
        Await.until(
                "no node shows it",
                Duration.ofSeconds(60),
                () -> !Files.exists(stack.mounted(REGION, VERSION)));
        assertThat(api.outcome(VERSION, REGION, request, Duration.ofSeconds(30)).expect(409).code())
                .isEqualTo("CANCELLED");

        mend();
        assertThat(api.ensure(VERSION, REGION).get("bytes_verified").asLong())
                .isEqualTo((long) CHUNKS * CHUNK);
        stack.readAll(REGION, VERSION, tree);
        api.post(Api.path(VERSION) + "/evict", Map.of("region", REGION)).expect(200);
    }
}
