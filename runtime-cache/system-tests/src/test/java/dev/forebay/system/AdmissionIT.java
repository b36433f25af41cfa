package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** "Admission" and "Quotas" in docs/semantics.md, in a region that has room for three versions. */
class AdmissionIT {

    private static final String REGION = "us-east-1";
    private static final int CHUNK = 8 << 20;
    private static final int CHUNKS = 5;

    @SuppressWarnings("NullAway.Init")
    private static RunningStack stack;

    @BeforeAll
    static void start() {
        stack =
                RunningStack.start(
                        "narrow",
                        config ->
                                config.regions(REGION)
                                        .workersPerRegion(1)
                                        .workerCapacity(16L * CHUNK)
                                        // Three versions fill it by more than the default.
                                        .property("forebay.sweep.high-watermark", "1"));
    }

    @AfterAll
    static void stop() {
        stack.close();
    }

    @BeforeEach
    void nobodyIsThere() throws Exception {
        for (JsonNode mounted :
                new RegionGateway(stack.region(REGION).agent().address()).usage().get("versions")) {
            String version =
                    "%s/%s@%s"
                            .formatted(
                                    mounted.at("/version/dataset/namespace").asText(),
                                    mounted.at("/version/dataset/name").asText(),
                                    mounted.at("/version/version").asText());
            stack.api().post(Api.path(version) + "/evict", Map.of("region", REGION)).expect(200);
        }
    }

    @Test
    void whatIsWorthLeastMakesRoomAndWhatIsHeldHasOthersWait() throws Exception {
        Api api = stack.api();
        for (String name : List.of("a", "b", "c", "d", "e")) {
            registered("room/" + name);
        }
        api.ensure("room/a@v1", REGION);
        api.ensure("room/a@v1", REGION);
        api.ensure("room/b@v1", REGION);
        api.ensure("room/c@v1", REGION);
        api.ensure("room/c@v1", REGION);

        awaitPlan("room/d@v1", "after_eviction");
        assertThat(plan("room/d@v1").at("/victims/0/dataset").asText()).isEqualTo("room/b");
        api.ensure("room/d@v1", REGION);

        assertThat(state("room/b@v1")).isEqualTo("ABSENT");
        assertThat(state("room/a@v1")).isEqualTo("CACHED");
        assertThat(state("room/c@v1")).isEqualTo("CACHED");
        for (String name : List.of("a", "c", "d")) {
            pin("room/" + name + "@v1");
        }
        awaitPlan("room/e@v1", "waits");

        String request = api.accept("room/e@v1", Map.of("region", REGION));

        Await.until("it is in the queue", Duration.ofSeconds(60), () -> queue().size() == 1);
        assertThat(queue().at("/0/dataset").asText()).isEqualTo("room/e");
        assertThat(queue().at("/0/position").asInt()).isEqualTo(1);
        Await.until(
                "its status says why",
                Duration.ofSeconds(60),
                () ->
                        api.residency("room/e@v1", REGION)
                                .at("/waiting/message")
                                .asText()
                                .contains("first in the queue"));
        assertThat(stack.lake().gets("room/e/")).isEmpty();
        api.delete(Api.path("room/d@v1") + "/pins/p?region=" + REGION).expect(204);

        api.receipt("room/e@v1", REGION, request, Duration.ofMinutes(3));
        assertThat(state("room/d@v1")).isEqualTo("ABSENT");
        assertThat(queue()).isEmpty();
        for (String name : List.of("a", "c", "e")) {
            assertThat(stack.lake().gets("room/" + name + "/").values())
                    .as(name)
                    .containsOnly(1)
                    .hasSize(CHUNKS);
        }
        api.delete(Api.path("room/a@v1") + "/pins/p?region=" + REGION).expect(204);
        api.delete(Api.path("room/c@v1") + "/pins/p?region=" + REGION).expect(204);
    }

    @Test
    void aNamespaceMakesRoomForItselfWithinItsQuota() throws Exception {
        Api api = stack.api();
        registered("thrifty/a");
        registered("thrifty/b");
        api.put("/namespaces/thrifty/quota", Map.of("bytes", 6L * CHUNK)).expect(200);
        api.ensure("thrifty/a@v1", REGION);

        api.ensure("thrifty/b@v1", REGION);

        assertThat(state("thrifty/a@v1")).isEqualTo("ABSENT");
        api.put("/namespaces/thrifty/quota", Map.of("bytes", 4L * CHUNK)).expect(200);
        String request = api.accept("thrifty/a@v1", Map.of("region", REGION));
        assertThat(api.outcome("thrifty/a@v1", REGION, request, Duration.ofMinutes(1)).code())
                .isEqualTo("TOO_LARGE");
        api.post("/regions/" + REGION + "/sweep", Map.of());
        Await.until(
                "what is above the lower quota is gone",
                Duration.ofSeconds(60),
                () -> state("thrifty/b@v1").equals("ABSENT"));
    }

    @Test
    void whoGivesTheRoomBackGoesAndNotAFamilyThatSharesIt() throws Exception {
        Api api = stack.api();
        registered("kin/a", 7);
        api.ensure("kin/a@v1", REGION);
        for (String next : List.of("v2", "v3")) {
            stack.lake().put("kin/a/part-6", bytes(next.hashCode(), CHUNK));
            api.ensure("kin/a@" + next, REGION);
        }
        registered("kin/b", 5);
        // Worth more, so that it is not simply the first to go.
        api.ensure("kin/b@v1", REGION);
        api.ensure("kin/b@v1", REGION);
        registered("kin/c", 6);

        // Of 16 chunks 14 are taken: 6 that three have in common, one of each, and 5.
        Await.until(
                "it alone would go, once the agent has heard that it is cached",
                Duration.ofSeconds(60),
                () -> {
                    JsonNode victims = plan("kin/c@v1").path("victims");
                    return victims.size() == 1 && victims.at("/0/dataset").asText().equals("kin/b");
                });
        api.ensure("kin/c@v1", REGION);

        assertThat(state("kin/b@v1")).isEqualTo("ABSENT");
        assertThat(cachedOf("kin/a", "v1", "v2", "v3")).hasSize(3);

        // Now 15 are. The next one needs two, and has five with each of the family.
        stack.lake().put("kin/a/part-5", bytes(5, CHUNK));
        stack.lake().put("kin/a/part-6", bytes(6, CHUNK));
        api.ensure("kin/a@v4", REGION);

        assertThat(cachedOf("kin/a", "v1", "v2", "v3", "v4")).hasSize(3).contains("v4");
        assertThat(state("kin/c@v1")).isEqualTo("CACHED");
    }

    private static List<String> cachedOf(String dataset, String... versions) throws Exception {
        List<String> cached = new ArrayList<>();
        for (String version : versions) {
            if (state(dataset + "@" + version).equals("CACHED")) {
                cached.add(version);
            }
        }
        return cached;
    }

    private static void registered(String dataset) throws Exception {
        registered(dataset, CHUNKS);
    }

    private static void registered(String dataset, int chunks) throws Exception {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < chunks; i++) {
            tree.put("part-" + i, bytes(dataset.hashCode() + i, CHUNK));
        }
        stack.lake().putAll(dataset + "/", tree);
        stack.api().register(dataset, "s3://datasets/" + dataset + "/", Duration.ofHours(1));
    }

    private static void pin(String version) throws Exception {
        stack.api()
                .post(
                        Api.path(version) + "/pins",
                        Map.of("region", REGION, "id", "p", "holder", "t", "lease_seconds", 600))
                .expect(201);
    }

    /** Agents hear of mounts and pins a moment after those who made them. */
    private static void awaitPlan(String version, String admission) {
        Await.until(
                version + " " + admission,
                Duration.ofSeconds(60),
                () -> plan(version).at("/admission").asText().equals(admission));
    }

    private static JsonNode plan(String version) throws Exception {
        return stack.api()
                .post(Api.path(version) + "/plan", Map.of())
                .expect(200)
                .body()
                .at("/regions/0/room");
    }

    private static JsonNode queue() throws Exception {
        return stack.api().get("/regions/" + REGION + "/queue").expect(200).body().get("items");
    }

    private static String state(String version) throws Exception {
        return stack.api().residency(version, REGION).path("state").asText("ABSENT");
    }
}
