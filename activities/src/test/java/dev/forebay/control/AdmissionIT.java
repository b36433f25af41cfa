package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.AWAY;
import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.model.DatasetVersion;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import dev.forebay.workflows.message.SpaceClaim;
import dev.forebay.workflows.message.Urgency;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * "Admission" and "Quotas" in the control plane. The fake region admits versions as each test says.
 */
class AdmissionIT {

    private static final long LONG = 3600;
    private static final String IN = "{\"region\":\"" + REGION + "\"}";

    private static final String EARLIER =
            "update residency set evictable_at = evictable_at - interval '1 minute' where version = ?";

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    @AfterEach
    void forget() {
        platform.gateway.setSurvey("{}");
        platform.gateway.resetUsage();
        platform.region.full(null);
        platform.region.refuseOnce(false);
        platform.region.letDrop();
    }

    @Test
    void aWaitingVersionShowsTheReasonUntilItIsAdmitted() {
        String name = platform.dataset(LONG);
        String v = version(name, "v1");
        platform.region.full("number 2 of 3 in the queue of test-1, behind team/x@v1");

        api.post(v + "/ensure", IN, "Idempotency-Key", "k");

        Await.until(
                "its place in the queue is shown",
                () ->
                        api.get(v)
                                .body()
                                .at("/regions/0/waiting/message")
                                .asText()
                                .contains("number 2 of 3"));
        assertThat(api.get(v).body().at("/regions/0/waiting/code").asText())
                .isEqualTo("CAPACITY_EXCEEDED");
        assertThat(api.get(v).body().at("/regions/0/state").asText()).isEqualTo("WARMING");
        platform.region.full(null);
        Await.until("done", () -> api.get(v + "/requests/k?wait_seconds=10").status() == 200);
    }

    @Test
    void admissionEvictsTheVersionOfLeastValue() {
        String wanted = cached();
        String forgotten = cached();
        api.post(version(wanted, "v1") + "/ensure?wait_seconds=30", IN);
        survey(100_000, 100_000, 8_192, resident(wanted, 0) + "," + resident(forgotten, 0), "");

        String name = cached();

        assertThat(state(name)).isEqualTo("CACHED");
        assertThat(state(forgotten)).isEqualTo("ABSENT");
        assertThat(state(wanted)).isEqualTo("CACHED");
    }

    @Test
    void admissionKeepsAPinnedVersionDespiteAStaleSurvey() {
        String held = platform.dataset(LONG);
        api.post(
                version(held, "v1") + "/ensure?wait_seconds=30",
                IN.replace("}", ",\"pin\":{\"holder\":\"me\",\"lease_seconds\":600}}"));
        // The survey is from before the pin.
        survey(100_000, 100_000, 8_192, resident(held, 0), "");

        cached();

        assertThat(state(held)).isEqualTo("CACHED");
    }

    @Test
    void admissionSparesAVersionThatIsReadDuringAnotherEviction() {
        // A read by a node does not move the time to live.
        assertSparesAVersionThatIsUsedMeanwhile(
                name -> platform.gateway.setUsage(readJustNow(name)));
    }

    @Test
    void admissionSparesAVersionThatIsRequestedDuringAnotherEviction() {
        // A request so soon after the first one does not move the time to live.
        assertSparesAVersionThatIsUsedMeanwhile(
                name -> api.post(version(name, "v1") + "/ensure?wait_seconds=30", IN));
    }

    private void assertSparesAVersionThatIsUsedMeanwhile(Consumer<String> use) {
        String first = cached();
        String second = cached();
        String third = cached();
        survey(
                150_000,
                150_000,
                60_000,
                resident(first, 0) + "," + resident(second, 0) + "," + resident(third, 0),
                "");
        awaitFirstVictim(first);
        platform.region.holdDrops();
        String v = version(platform.dataset(LONG), "v1");
        api.post(v + "/ensure", IN, "Idempotency-Key", "k");
        Await.until("the first eviction runs", () -> state(first).equals("EVICTING"));

        use.accept(second);
        platform.region.letDrop();

        Await.until(
                "it is admitted", () -> api.get(v + "/requests/k?wait_seconds=10").status() == 200);
        assertThat(state(first)).isEqualTo("ABSENT");
        assertThat(state(second)).isEqualTo("CACHED");
        assertThat(state(third)).isEqualTo("ABSENT");
    }

    @Test
    void admissionSparesAVersionWhoseUseTheCatalogueMissed() throws Exception {
        String used = cached();
        String forgotten = cached();
        survey(100_000, 100_000, 8_192, resident(used, 0) + "," + resident(forgotten, 0), "");
        awaitFirstVictim(used);
        // As if the workflow had moved the time to live meanwhile.
        try (Connection database = platform.database();
                PreparedStatement earlier = database.prepareStatement(EARLIER)) {
            earlier.setString(1, "team/" + used + "@v1");
            assertThat(earlier.executeUpdate()).isEqualTo(1);
        }

        cached();

        assertThat(state(used)).isEqualTo("CACHED");
        assertThat(state(forgotten)).isEqualTo("ABSENT");
    }

    @Test
    void aSpeculativeRequestDoesNotEvictAnUnexpiredVersion() {
        String fresh = cached();
        survey(100_000, 100_000, 8_192, resident(fresh, 0), "");
        String hinted = platform.dataset(LONG);

        api.post(
                version(hinted, "v1") + "/ensure?wait_seconds=30",
                IN.replace("}", ",\"priority\":\"speculative\"}"));

        assertThat(state(fresh)).isEqualTo("CACHED");
        assertThat(platform.region.claim(DatasetVersion.of("team", hinted, "v1")).urgency())
                .isEqualTo(Urgency.SPECULATIVE);
    }

    @Test
    void aRequestThatIsNotNextInTheQueueEvictsNothing() {
        String fresh = cached();
        survey(
                100_000,
                100_000,
                8_192,
                resident(fresh, 0),
                """
                {"version":"team/other@v1","bytes":5,"interactive":true,"since":"2026-11-20T12:00:00Z",
                "stepped_aside":false,"reason":"full"}""");

        cached();

        assertThat(state(fresh)).isEqualTo("CACHED");
    }

    @Test
    void admissionsCarryTheQuotaOfTheirNamespace() {
        String quota = "/namespaces/team/quota";
        try {
            Api.Answer everywhere = api.put(quota, "{\"bytes\":1000000}");
            Api.Answer here = api.put(quota, "{\"region\":\"" + REGION + "\",\"bytes\":2000000}");

            assertThat(everywhere.status()).as(everywhere.raw().body()).isEqualTo(200);
            assertThat(here.body().get("items")).hasSize(2);
            assertThat(api.get(quota).body()).isEqualTo(here.body());
            String name = cached();
            SpaceClaim first = platform.region.claim(DatasetVersion.of("team", name, "v1"));
            assertThat(first.urgency()).isEqualTo(Urgency.INTERACTIVE);
            assertThat(first.quotaBytes()).isEqualTo(2_000_000L);

            assertThat(api.delete(quota + "?region=" + REGION).body().get("items")).hasSize(1);
            String another = cached();
            assertThat(platform.region.claim(DatasetVersion.of("team", another, "v1")).quotaBytes())
                    .isEqualTo(1_000_000L);
        } finally {
            api.delete(quota);
            api.delete(quota + "?region=" + REGION);
        }
        assertThat(api.get(quota).body().get("items")).isEmpty();
        String free = cached();
        assertThat(platform.region.claim(DatasetVersion.of("team", free, "v1")).quotaBytes())
                .isNull();
    }

    @Test
    void aPlanRefusesAVersionThatExceedsTheQuota() {
        String planned = platform.dataset(LONG);
        survey(100_000, 0, null, "", "");
        api.put("/namespaces/team/quota", "{\"bytes\":100}");
        try {
            JsonNode space =
                    api.post(version(planned, "v1") + "/plan", "{\"regions\":[\"" + REGION + "\"]}")
                            .body()
                            .at("/regions/0/space");

            assertThat(space.get("admission").asText()).isEqualTo("refused");
            assertThat(space.at("/problem/message").asText()).contains("quota of namespace team");
        } finally {
            api.delete("/namespaces/team/quota");
        }
    }

    @Test
    void theQueueListsWaitingVersionsInOrder() {
        survey(
                100,
                90,
                null,
                "",
                """
                {"version":"team/a@v1","bytes":50,"interactive":true,"since":"2026-11-20T12:00:00Z",
                "stepped_aside":false,"reason":"it is full"},
                {"version":"team/b@v1","bytes":5,"interactive":true,"since":"2026-11-20T11:00:00Z",
                "stepped_aside":true,"reason":"its quota"},
                {"version":"team/c@v1","bytes":6,"interactive":false,"since":"2026-11-20T10:00:00Z",
                "stepped_aside":false,"reason":"behind a"}""");

        JsonNode items = api.get("/regions/" + REGION + "/queue").body().get("items");

        assertThat(items).hasSize(3);
        assertThat(items.at("/0/position").asInt()).isEqualTo(1);
        assertThat(items.at("/0/reason").asText()).isEqualTo("it is full");
        assertThat(items.at("/0/priority").asText()).isEqualTo("interactive");
        assertThat(items.at("/1/position").isNull()).isTrue();
        assertThat(items.at("/2/position").asInt()).isEqualTo(2);
        assertThat(items.at("/2/priority").asText()).isEqualTo("speculative");
        assertThat(items.at("/2/dataset").asText()).isEqualTo("team/c");
        assertThat(api.get("/regions/mars/queue").text("code")).isEqualTo("UNKNOWN_REGION");
        assertThat(api.get("/regions/" + AWAY + "/queue").status()).isEqualTo(503);
    }

    /** Returns a new dataset whose version is in the region. */
    private String cached() {
        String name = platform.dataset(LONG);
        Api.Answer answer = api.post(version(name, "v1") + "/ensure?wait_seconds=30", IN);
        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
        return name;
    }

    private String state(String name) {
        return api.get(version(name, "v1")).body().at("/regions/0/state").asText();
    }

    private void survey(
            long capacity, long taken, @Nullable Integer needed, String residents, String queue) {
        platform.region.refuseOnce(true);
        platform.gateway.setSurvey(
                """
                {"capacity_bytes":%d,"taken_bytes":%d,"needed_bytes":%s,"missing":null,
                "speed":null,"residents":[%s],"queue":[%s]}"""
                        .formatted(capacity, taken, needed, residents, queue));
    }

    /**
     * Waits until a plan for a new version names this dataset as its first victim, with the current
     * end of its time to live.
     */
    private void awaitFirstVictim(String name) {
        String planned = version(platform.dataset(LONG), "v1") + "/plan";
        Await.until(
                "it would be the first victim",
                () -> {
                    JsonNode victim =
                            api.post(planned, "{\"regions\":[\"" + REGION + "\"]}")
                                    .body()
                                    .at("/regions/0/space/victims/0");
                    return victim.path("dataset").asText().equals("team/" + name)
                            && victim.path("evictable_at").asText().equals(evictableAt(name));
                });
    }

    private String evictableAt(String name) {
        return api.get(version(name, "v1")).body().at("/regions/0/evictable_at").asText("none");
    }

    private static String readJustNow(String name) {
        return """
        {"capacity_bytes":100000,"used_bytes":0,"orphan_bytes":0,"unknown":[],
        "versions":[{"version":{"dataset":{"namespace":"team","name":"%s"},"version":"v1"},
        "manifest":{"uri":"s3://m/k","digest":{"hex":"%s"},"objects":1,"bytes":5,"chunks":1},
        "evicting":false,"pinned":false,"seconds_since_read":0}],"shares":[]}"""
                .formatted(name, "ab".repeat(32));
    }

    private static String resident(String name, int pins) {
        return """
        {"version":"team/%s@v1","bytes":11,"objects":2,"space_bytes":50000,"state":"CACHED","pins":%d}"""
                .formatted(name, pins);
    }
}
