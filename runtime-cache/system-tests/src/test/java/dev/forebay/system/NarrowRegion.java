package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of "Admission" and "Quotas" in docs/semantics.md, in a region that fills quickly. */
@ExtendWith(NarrowStack.class)
abstract class NarrowRegion {

    static final String REGION = NarrowStack.REGION;
    static final int CHUNK = NarrowStack.CHUNK;

    /** Three versions of this size fit. */
    static final int CHUNKS = 5;

    final RunningStack stack;
    final Api api;

    NarrowRegion(RunningStack stack) {
        this.stack = stack;
        this.api = stack.api();
    }

    @BeforeEach
    void evictAll() throws Exception {
        RegionGateway gateway = new RegionGateway(stack.region(REGION).agent().address());
        for (JsonNode mounted : gateway.usage().get("versions")) {
            String version =
                    "%s/%s@%s"
                            .formatted(
                                    mounted.at("/version/dataset/namespace").asText(),
                                    mounted.at("/version/dataset/name").asText(),
                                    mounted.at("/version/version").asText());
            api.post(Api.path(version) + "/evict", Map.of("region", REGION)).expect(200);
        }
    }

    final void registered(String dataset) throws Exception {
        registered(dataset, CHUNKS);
    }

    final void registered(String dataset, int chunks) throws Exception {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < chunks; i++) {
            tree.put("part-" + i, bytes(dataset.hashCode() + i, CHUNK));
        }
        stack.lake().putAll(dataset + "/", tree);
        api.register(dataset, "s3://datasets/" + dataset + "/", Duration.ofHours(1));
    }

    final void pin(String version) throws Exception {
        api.post(
                        Api.path(version) + "/pins",
                        Map.of("region", REGION, "id", "p", "holder", "t", "lease_seconds", 600))
                .expect(201);
    }

    /** Waits until the agent knows all mounts and pins, and a plan shows this. */
    final void awaitPlan(String version, String admission) {
        Await.until(
                version + " " + admission,
                Duration.ofSeconds(60),
                () -> plan(version).at("/admission").asText().equals(admission));
    }

    final JsonNode plan(String version) throws Exception {
        return api.post(Api.path(version) + "/plan", Map.of())
                .expect(200)
                .body()
                .at("/regions/0/space");
    }

    final JsonNode queue() throws Exception {
        return api.get("/regions/" + REGION + "/queue").expect(200).body().get("items");
    }

    final String state(String version) throws Exception {
        return api.residency(version, REGION).path("state").asText("ABSENT");
    }
}
