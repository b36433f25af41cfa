package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.server.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A worker that restarts without its chunks: "Crashes" in docs/semantics.md. */
@ExtendWith(SharedStack.class)
class LostDiskIT {

    private static final int CHUNK = 8 << 20;
    private static final String REGION = RunningStack.VIRGINIA;

    private final RunningStack stack;
    private final Api api;
    private final LakeFixture lake;

    LostDiskIT(RunningStack stack) {
        this.stack = stack;
        this.api = stack.api();
        this.lake = stack.lake();
    }

    /** "A receipt means every byte". */
    @Test
    void ensureRefillsTheChunksOfALostDiskBeforeTheNextReceipt() throws Exception {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < 6; i++) {
            tree.put(i + ".bin", bytes(200 + i, CHUNK));
        }
        lake.putAll("lost/", tree);
        api.register("crash/lost", "s3://datasets/lost/", Duration.ofHours(1));
        int[] before = chunkFiles();
        JsonNode first = api.ensure("crash/lost@v1", REGION);
        int victim = whoGotMore(before);
        Server worker = stack.region(REGION).worker(victim);
        worker.kill9();
        long lost = deleteChunks(victim);
        worker.restart();

        Map<String, Object> pinned =
                Map.of("region", REGION, "pin", Map.of("holder", "test", "lease_seconds", 60));
        JsonNode second =
                api.receipt(
                        "crash/lost@v1",
                        REGION,
                        api.accept("crash/lost@v1", pinned),
                        Duration.ofMinutes(3));

        assertThat(lost).isGreaterThan(0);
        assertThat(second.get("bytes_verified")).isEqualTo(first.get("bytes_verified"));
        assertThat(second.get("cached_at")).isNotEqualTo(first.get("cached_at"));
        int gets = lake.countGets("lost/");
        assertThat(gets).isBetween(tree.size() + 1, 2 * tree.size());
        stack.readAll(REGION, "crash/lost@v1", tree);
        assertThat(lake.countGets("lost/")).as("read from the region alone").isEqualTo(gets);
    }

    /**
     * "A pinned version that loses workers", "Sweeps": the version's usage includes the chunks that
     * are filled again.
     */
    @Test
    void upkeepRefillsAPinnedVersionThatLostChunks() throws Exception {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < 8; i++) {
            tree.put(i + ".bin", bytes(400 + i, CHUNK));
        }
        lake.putAll("upkeep/", tree);
        api.register("crash/upkeep", "s3://datasets/upkeep/", Duration.ofHours(1));
        Map<String, Object> pinned =
                Map.of(
                        "region",
                        REGION,
                        "pin",
                        Map.of("id", "p", "holder", "test", "lease_seconds", 900));
        int[] before = chunkFiles();
        JsonNode first =
                api.receipt(
                        "crash/upkeep@v1",
                        REGION,
                        api.accept("crash/upkeep@v1", pinned),
                        Duration.ofMinutes(3));
        int victim = whoGotMore(before);
        Server worker = stack.region(REGION).worker(victim);
        worker.kill9();
        Await.until("one worker is live", Duration.ofSeconds(60), () -> liveWorkers() == 1);
        long lost = deleteChunks(victim);
        worker.restart();

        Await.until(
                "it is complete again",
                Duration.ofMinutes(4),
                () -> {
                    JsonNode now = api.residency("crash/upkeep@v1", REGION);
                    return now.get("state").asText().equals("CACHED")
                            && !now.get("cached_at").equals(first.get("cached_at"));
                });

        assertThat(lost).isGreaterThan(0);
        int gets = lake.countGets("upkeep/");
        assertThat(gets).isBetween(tree.size() + 1, 2 * tree.size());
        stack.readAll(REGION, "crash/upkeep@v1", tree);
        assertThat(lake.countGets("upkeep/")).as("read from the region alone").isEqualTo(gets);
        JsonNode plan = api.get("/regions/" + REGION + "/sweep/plan").expect(200).body();
        assertThat(plan.get("used_bytes").asLong()).isGreaterThanOrEqualTo(8L * CHUNK);
        assertThat(plan.get("victims"))
                .noneMatch(each -> each.get("dataset").asText().equals("crash/upkeep"));
        api.delete(Api.path("crash/upkeep@v1") + "/pins/p?region=" + REGION).expect(204);
    }

    private long liveWorkers() throws Exception {
        long live = 0;
        for (JsonNode region : api.get("/regions").body().get("items")) {
            for (JsonNode worker : region.get("workers")) {
                live +=
                        region.get("name").asText().equals(REGION) && worker.get("live").asBoolean()
                                ? 1
                                : 0;
            }
        }
        return live;
    }

    /** Returns the number of chunks of each worker. */
    private int[] chunkFiles() throws IOException {
        return new int[] {stack.chunkFiles(REGION, 0).size(), stack.chunkFiles(REGION, 1).size()};
    }

    /**
     * Returns the worker that got more chunks. Ids differ between runs, so a worker may rarely own
     * no chunk of a small version.
     */
    private int whoGotMore(int[] before) throws IOException {
        int[] now = chunkFiles();
        return now[0] - before[0] >= now[1] - before[1] ? 0 : 1;
    }

    /** Deletes the chunk files of a worker and returns their number. */
    private long deleteChunks(int worker) throws IOException {
        List<Path> chunks = stack.chunkFiles(REGION, worker);
        for (Path chunk : chunks) {
            Files.delete(chunk);
        }
        return chunks.size();
    }
}
