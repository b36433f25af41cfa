package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static dev.forebay.system.RunningStack.KOREA;
import static dev.forebay.system.RunningStack.VIRGINIA;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** "Plans" in docs/semantics.md: compares plans with the fills that follow. */
@ExtendWith(SharedStack.class)
class PlanIT {

    private static final int CHUNK = 8 << 20;

    private final Api api;
    private final LakeFixture lake;

    PlanIT(RunningStack stack) {
        this.api = stack.api();
        this.lake = stack.lake();
    }

    @Test
    void aFillFetchesExactlyWhatItsPlanPredicts() throws Exception {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < 50; i++) {
            tree.put("small/%02d.bin".formatted(i), bytes(i, 1 + 1_000 * i));
        }
        // Large enough for the region to measure its rate.
        tree.put("large.bin", bytes(77, 4 * CHUNK + 12_345));
        tree.put("none.bin", new byte[0]);
        long size = tree.values().stream().mapToLong(content -> content.length).sum();
        lake.putAll("planned/", tree);
        api.register("plan/planned", "s3://datasets/planned/", Duration.ofHours(1));

        JsonNode listed = plan("plan/planned@v1");

        assertThat(listed.at("/needs/bytes_missing").asLong()).isEqualTo(size);
        assertThat(listed.at("/space/admission").asText()).isEqualTo("admitted");
        assertThat(lake.gets("planned/")).isEmpty();
        assertThat(api.get(Api.path("plan/planned@v1")).status()).isEqualTo(404);

        api.ensure("plan/planned@v1", VIRGINIA);
        int before = gets("planned/");
        JsonNode frozen = plan("plan/planned@v1");

        assertThat(frozen.at("/needs/exact").asBoolean()).isTrue();
        assertThat(frozen.at("/needs/bytes_missing").asLong()).isEqualTo(size);
        assertThat(frozen.at("/needs/objects_missing").asLong()).isEqualTo(tree.size() - 1);
        assertThat(frozen.at("/sources")).hasSize(2);
        assertThat(gets("planned/")).isEqualTo(before);

        JsonNode receipt = api.ensure("plan/planned@v1", KOREA);

        assertThat(receipt.get("bytes_from_lake").asLong()).isEqualTo(size);
        assertThat(gets("planned/") - before)
                .isEqualTo(frozen.at("/needs/lake_requests").asInt())
                .isEqualTo(listed.at("/needs/lake_requests").asInt());
        JsonNode there = plan("plan/planned@v1");
        assertThat(there.at("/needs/bytes_missing").asLong()).isZero();
        assertThat(there.at("/needs/lake_requests").asLong()).isZero();
        assertThat(there.at("/eta_seconds").asLong()).isZero();
        assertThat(there.at("/bytes_per_second").asLong()).isPositive();
        assertThat(there.at("/sources")).isEmpty();
    }

    @Test
    void aPlanForANewVersionCountsOnlyChangedObjectsAsMissing() throws Exception {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < 4; i++) {
            tree.put("shard-" + i, bytes(100 + i, CHUNK));
        }
        lake.putAll("replanned/", tree);
        api.register("plan/replanned", "s3://datasets/replanned/", Duration.ofHours(1));
        api.ensure("plan/replanned@v1", KOREA);
        lake.put("replanned/shard-2", bytes(200, CHUNK));
        api.ensure("plan/replanned@v2", VIRGINIA);
        int before = gets("replanned/");

        JsonNode needs = plan("plan/replanned@v2").get("needs");
        JsonNode receipt = api.ensure("plan/replanned@v2", KOREA);

        assertThat(needs.get("bytes_missing").asLong()).isEqualTo(CHUNK);
        assertThat(needs.get("objects_missing").asLong()).isEqualTo(1);
        assertThat(receipt.get("bytes_from_lake").asLong()).isEqualTo(CHUNK);
        assertThat(gets("replanned/") - before).isEqualTo(needs.get("lake_requests").asInt());
    }

    private JsonNode plan(String version) throws Exception {
        return api.post(Api.path(version) + "/plan", Map.of("regions", List.of(KOREA)))
                .expect(200)
                .body()
                .at("/regions/0");
    }

    private int gets(String prefix) throws Exception {
        return lake.gets(prefix).values().stream().mapToInt(Integer::intValue).sum();
    }
}
